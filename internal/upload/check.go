package upload

import (
	"bytes"
	"fmt"
	"image/jpeg"
	"image/png"
	"net/http"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"svcpay/internal/check"
	"svcpay/internal/fault"
)

// Bounds of a file.
const (
	MaxSize = 5 << 20 // bytes
	MaxName = 255     // characters
)

// The types that are taken.
const (
	PDF  = "application/pdf"
	PNG  = "image/png"
	JPEG = "image/jpeg"
)

// ContentTypes lists every type that is taken.
func ContentTypes() []string { return []string{PDF, PNG, JPEG} }

// CreateInput is a file to keep. ContentType is what the sender says it is, "" for nothing; the
// content decides.
type CreateInput struct {
	Name        string
	ContentType string
	Content     []byte
}

// Validate returns the mistakes of the name.
func (in CreateInput) Validate() fault.Fields {
	var fs fault.Fields
	checkName(&fs, in.Name)
	return fs
}

// check tells the content's type. Faults: request_too_large, content_type_unsupported.
func (in CreateInput) check() (string, error) {
	if len(in.Content) > MaxSize {
		return "", fault.New(fault.KindInvalid, "request_too_large",
			fmt.Sprintf("A file has at most %d bytes.", MaxSize))
	}
	found, ok := TypeOf(in.Content)
	switch {
	case ok && found == PDF && encrypted.Match(in.Content):
		return "", fault.New(fault.KindInvalid, "content_type_unsupported",
			"The PDF is protected by a password or by permissions. Save a copy without protection and upload that.")
	case !ok:
		return "", fault.New(fault.KindInvalid, "content_type_unsupported",
			"The file is not a complete PDF, PNG or JPEG.")
	case in.ContentType != "" && in.ContentType != found:
		return "", fault.New(fault.KindInvalid, "content_type_unsupported",
			"The file is of another type than its Content-Type says.")
	}
	return found, nil
}

func checkName(fs *fault.Fields, name string) {
	switch {
	case name == "":
		check.Required(fs, "name", false)
	case !utf8.ValidString(name), utf8.RuneCountInString(name) > MaxName, name == ".", name == "..",
		strings.ContainsFunc(name, unicode.IsControl):
		fs.Add("name", "parameter_invalid",
			fmt.Sprintf("A file's name has 1 to %d characters, all of them printable, and is not . or ..", MaxName))
	default:
		check.Text(fs, "name", &name, 1, MaxName)
	}
}

// reserved lists the characters that a file system keeps for itself (Windows has the most).
const reserved = `/\:*?"<>|`

// safeName is name with _ for each reserved character, and for those that make a name look like another.
func safeName(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(reserved, r) || unicode.Is(unicode.Bidi_Control, r) {
			return '_'
		}
		return r
	}, name)
}

// pdfLead lists what programs write before a PDF's header and readers skip: a BOM and white space.
const pdfLead = "\ufeff\x00\t\n\f\r "

// encrypted finds the entry that only the trailer of a protected PDF has (ISO 32000-1, 7.6): in clear, also when the
// rest of the trailer's stream is compressed.
var encrypted = regexp.MustCompile(`/Encrypt[\x00\t\n\f\r ]*(<<|[0-9]+[\x00\t\n\f\r ]+[0-9]+[\x00\t\n\f\r ]+R)`)

// pdfTail is how far before its end a PDF may have its last marker.
const pdfTail = 1024

// TypeOf reports which type a content is: by its first bytes, and then by whether a reader would
// find a header that makes sense and the file's end.
func TypeOf(content []byte) (string, bool) {
	found := http.DetectContentType(content)
	if bytes.HasPrefix(bytes.TrimLeft(content, pdfLead), []byte("%PDF-")) {
		found = PDF
	}
	switch found {
	case PDF:
		return found, bytes.Contains(content[max(0, len(content)-pdfTail):], []byte("%%EOF"))
	case PNG:
		_, err := png.DecodeConfig(bytes.NewReader(content))
		return found, err == nil && bytes.Contains(content, []byte("IEND\xaeB`\x82"))
	case JPEG:
		_, err := jpeg.DecodeConfig(bytes.NewReader(content))
		return found, err == nil && bytes.Contains(content, []byte("\xff\xd9"))
	}
	return "", false
}
