// Package roledoc reads the permissions in docs/roles.md, so that tests can compare them with the program.
package roledoc

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"svcpay/internal/authz"
)

// Document is what docs/roles.md says.
type Document struct {
	allowed     map[authz.Role][]authz.Permission
	permissions []authz.Permission
}

// Allows reports whether the document gives a role a permission.
func (d Document) Allows(r authz.Role, p authz.Permission) bool {
	return slices.Contains(d.allowed[r], p)
}

// Permissions lists every permission that some word of the document stands for.
func (d Document) Permissions() []authz.Permission { return slices.Clone(d.permissions) }

// word is what is in a cell of a row.
type word struct{ row, text string }

var (
	code   = regexp.MustCompile("`([a-z_]+:[a-z_]+)`")
	aside  = regexp.MustCompile(`\s*\([^)]*\)`)
	titles = []string{"## Who may do what", "## What the words allow"}
)

// Read understands the text of the document. The error tells everything that makes no sense in it.
func Read(text string) (Document, error) {
	matrix, words := table(text, titles[0]), table(text, titles[1])
	if len(matrix) < 2 || len(words) < 2 {
		return Document{}, errors.New("roledoc: a table is missing")
	}
	d := Document{allowed: map[authz.Role][]authz.Permission{}}
	meanings, used := map[word][]authz.Permission{}, map[word]bool{}
	for _, line := range words[1:] {
		if len(line) != 3 {
			return d, fmt.Errorf("roledoc: a line has %d cells: %q", len(line), line)
		}
		w := word{line[0], line[1]}
		if _, twice := meanings[w]; twice {
			return d, fmt.Errorf("roledoc: %q is explained twice", w)
		}
		meanings[w] = []authz.Permission{}
		for _, m := range code.FindAllStringSubmatch(line[2], -1) {
			if !strings.HasPrefix(line[2], "without") {
				meanings[w] = append(meanings[w], authz.Permission(m[1]))
				d.permissions = append(d.permissions, authz.Permission(m[1]))
			}
		}
	}
	var wrong []error
	for _, line := range matrix[1:] {
		for i, role := range matrix[0][1:] {
			for _, w := range wordsOf(line[0], line[i+1], meanings) {
				allowed, known := meanings[w]
				if !known {
					wrong = append(wrong, fmt.Errorf("roledoc: nothing says what %q means", w))
				}
				used[w] = true
				d.allowed[authz.Role(role)] = append(d.allowed[authz.Role(role)], allowed...)
			}
		}
	}
	for w := range meanings {
		if !used[w] && w.row != "charges: create" { // which no one may
			wrong = append(wrong, fmt.Errorf("roledoc: no cell says %q", w))
		}
	}
	return d, errors.Join(wrong...)
}

// wordsOf are the words of a cell. A row of two parts has two words in each cell; what is in
// brackets explains, unless it has a meaning of its own.
func wordsOf(row, cell string, meanings map[word][]authz.Permission) (out []word) {
	if _, whole := meanings[word{row, cell}]; whole {
		return []word{{row, cell}}
	}
	if strings.HasPrefix(cell, "nobody") {
		return nil
	}
	if first, second, both := strings.Cut(cell, " / "); both {
		if first != "–" {
			out = append(out, word{row, first + " /"})
		}
		if second != "–" {
			out = append(out, word{row, "/ " + second})
		}
		return out
	}
	for _, text := range strings.Split(aside.ReplaceAllString(cell, ""), ", ") {
		if text != "" && text != "–" {
			out = append(out, word{row, text})
		}
	}
	return out
}

// table reads the first table below a title, its head first and without the line of dashes.
func table(text, title string) (lines [][]string) {
	_, rest, _ := strings.Cut(text, title+"\n")
	for line := range strings.Lines(rest) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "## "):
			return lines
		case !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---"):
			if len(lines) > 1 && line == "" {
				return lines
			}
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		lines = append(lines, cells)
	}
	return lines
}
