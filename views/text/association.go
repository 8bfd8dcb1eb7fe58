package text

// Association are the texts of the pages that replace the Wallet A association file.
type Association struct {
	Installed                     func(at string, bytes int) string
	Check, Review, ReviewText     string
	Replace, InstallFirst, Back   string
	Affected                      func(domains, merchants int64) string
	AffectedText, NoneAffected    string
	Changed, ChangedText          string
	File                          string
	Size                          func(bytes int, fingerprint string) string
	Same, Done, Undone, NotUndone string
	Former, FormerText            string
	Version, At, Hash, Actions    string
	RestoreOf                     func(version string) string
}

var associationEnglish = Association{
	Installed: func(at string, n int) string {
		return "Installed " + at + " · " + plural(n, "byte", "bytes")
	},
	Check: "Review change", Review: "Review association file",
	ReviewText: "Nothing has changed yet. Compare both files, then confirm.",
	Replace:    "Replace file", InstallFirst: "Install file", Back: "Edit",
	Affected: func(domains, merchants int64) string {
		verb := " serve the current file"
		if domains == 1 {
			verb = " serves the current file"
		}
		return plural(int(domains), "verified domain", "verified domains") + " of " +
			plural(int(merchants), "merchant", "merchants") + verb
	},
	AffectedText: "After the change, each fails its next verification until its website serves the new file. Send the file to these merchants first.",
	NoneAffected: "No verified domain serves the current file, so no website has to change.",
	Changed:      "Another file was installed in the meantime",
	ChangedText:  "Your file wasn’t installed. Below, it’s compared with the file that’s installed now.",
	File:         "File",
	Size: func(n int, fingerprint string) string {
		return plural(n, "byte", "bytes") + ", SHA-256 " + fingerprint + "…"
	},
	Same: "This file is already installed.", Done: "Association file replaced",
	Undone:    "The previous association file is installed again.",
	NotUndone: "Not undone: another file has been installed since. Restore a previous file instead.",
	Former:    "Previous files", FormerText: "The last 10 files. You review a file before you restore it.",
	Version: "Version", At: "Installed", Hash: "SHA-256", Actions: "Actions",
	RestoreOf: func(version string) string { return "Restore version " + version },
}
