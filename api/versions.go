package api

import (
	"encoding/json"
	"net/http"

	"svcpay/internal/apikey"
	"svcpay/internal/fault"
)

// Version is the API's only version so far. docs/decisions/0008-api-versions.md says what a second one
// would change: members of a request are brought up to the newest version in readInput, before they are
// decoded, and answers are brought down to the caller's in encode. Nothing else knows of versions.
const Version = apikey.APIVersion

// spoken is the version that a request asks for; without X-API-Version that of its application.
func spoken(h http.Header) (string, error) {
	if v := joined(h, "X-API-Version"); v != "" && v != Version {
		return "", fault.Invalid("api_version_unknown", "There is no such API version; the current one is "+Version+".")
	}
	return Version, nil
}

// encode is the JSON of an answer: of an object or a list, or the one that was kept of it.
func encode(r reply) ([]byte, error) {
	if r.raw != nil {
		return r.raw, nil
	}
	return json.Marshal(r.object)
}
