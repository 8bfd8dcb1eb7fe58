package api

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"svcpay/internal/fault"
)

// readJSON returns the bytes of a JSON body, within bounds. A body without a byte counts as {}
// where it is optional, whatever is declared of it.
func readJSON(r *http.Request, optional bool) ([]byte, error) {
	declared := mediaOf(r) == mediaJSON
	if !declared && !optional {
		return nil, unsupported(mediaJSON)
	}
	body, err := readBody(r, maxBody)
	switch {
	case errors.Is(err, errCut):
		return nil, errBody.Because(err)
	case err != nil:
		return nil, err
	case len(body) == 0 && optional:
		return []byte("{}"), nil
	case !declared:
		return nil, unsupported(mediaJSON)
	}
	return body, nil
}

// readFile returns a body of at most limit bytes and one of some content types.
func readFile(r *http.Request, limit int, types []string) (upload, error) {
	media := mediaOf(r)
	if !slices.Contains(types, media) {
		return upload{}, unsupported(types...)
	}
	content, err := readBody(r, limit)
	return upload{media: media, content: content}, err
}

// errCut is a body that does not end as it said, or not in time.
var errCut = fault.Invalid("parameter_invalid", "The body was cut short, or came too slowly.")

func readBody(r *http.Request, limit int) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, int64(limit)+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errCut, err)
	}
	if len(body) > limit {
		return nil, fault.New(fault.KindInvalid, "request_too_large",
			fmt.Sprintf("The body is larger than %d KiB.", limit>>10))
	}
	return body, nil
}

func unsupported(types ...string) error {
	return fault.New(fault.KindInvalid, "content_type_unsupported", "Send the body as "+strings.Join(types, " or ")+
		", not compressed.")
}

// mediaOf is the content type that is declared of a body, "" for one that is compressed or in
// another character set than UTF-8.
func mediaOf(r *http.Request) string {
	if len(r.Header.Values("Content-Encoding")) > 0 {
		return ""
	}
	media, params, err := mime.ParseMediaType(joined(r.Header, "Content-Type"))
	if charset := strings.ToLower(params["charset"]); err != nil || (charset != "" && charset != "utf-8") {
		return ""
	}
	return media
}

// preferred is the content type, of those that an operation produces, that an Accept header likes
// best; the first of equals, and "" if it leaves out all.
func preferred(accept, produces []string) string {
	all := strings.Join(accept, ",")
	if strings.TrimSpace(all) == "" {
		return produces[0]
	}
	best, most := "", 0.0
	for _, p := range produces {
		if q := quality(all, p); q > most {
			best, most = p, q
		}
	}
	return best
}

// quality is what an Accept header says of a content type: the most specific range that covers it
// decides, and 0 is no.
func quality(accept, media string) float64 {
	kind, _, _ := strings.Cut(media, "/")
	ranges := []string{"*/*", kind + "/*", media} // by specificity
	best, quality := -1, 0.0
	for part := range strings.SplitSeq(accept, ",") {
		name, params, err := mime.ParseMediaType(part)
		if at := slices.Index(ranges, name); err == nil && at > best {
			best, quality = at, weight(params["q"])
		}
	}
	return quality
}

// weight reads a quality; what is none says nothing.
func weight(q string) float64 {
	v, err := strconv.ParseFloat(q, 64)
	if err != nil || !(v >= 0 && v <= 1) {
		return 1
	}
	return v
}
