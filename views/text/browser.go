package text

import "strings"

// Browser says what a browser calls itself: its name and that of the system that it runs on, "" of what is not known.
// These are names, the same in every language.
func Browser(userAgent string) (browser, system string) {
	return firstOf(userAgent,
			[][2]string{{"Edg/", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"Chrome/", "Chrome"},
				{"Safari/", "Safari"}, {"curl/", "curl"}}),
		firstOf(userAgent, [][2]string{{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"},
			{"Windows", "Windows"},
			{"Mac OS X", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"}})
}

// firstOf is the name of the first mark that a text has.
func firstOf(text string, marks [][2]string) string {
	for _, m := range marks {
		if strings.Contains(text, m[0]) {
			return m[1]
		}
	}
	return ""
}
