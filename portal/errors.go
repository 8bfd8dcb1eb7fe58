package portal

import (
	"svcpay/internal/fault"
)

var (
	errTheme = fault.Invalid("parameter_invalid", "There is no such theme.")
)
