package browser

import (
	"encoding/json"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/labstack/echo/v4"

	"svcpay/internal/daf/workflow"
	"svcpay/internal/money"
)

// modalVersion is that of the library whose pages open the modal.
const modalVersion = "3.2"

// modalPath begins the address of a donor's way, before its secret.
const modalPath = "/" + modalVersion + "/modal/daf/"

type dafRequest struct {
	Session        string         `json:"session"`
	Amount         *money.Amount  `json:"amount"` // US cents
	CustomerDetail jsontext.Value `json:"customer_detail"`
	Scheme         string         `json:"scheme"` // of the page's colors: light or dark
	Locale         string         `json:"locale"` // of what donors read; "" is English
}

type dafAnswer struct {
	Path     string   `json:"path"`
	Warnings []string `json:"warnings"` // for the page's developer
}

// beginDAF starts a donor's way through the modal, which the page shows at the path.
func (cl *client) beginDAF(c echo.Context) (int, any, error) {
	var in dafRequest
	if err := decode(c.Request(), &in); err != nil {
		return 0, nil, err
	}
	out, err := cl.Workflows.Begin(c.Request().Context(), workflow.BeginInput{SessionID: in.Session, Amount: in.Amount,
		CustomerDetail: json.RawMessage(in.CustomerDetail), Scheme: in.Scheme, Locale: in.Locale})
	return http.StatusCreated, dafAnswer{modalPath + out.Secret, out.Warnings}, err
}
