package pg

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
)

// group is a run of queued statements that leave as one.
type group struct {
	statements []queued
	tables     []string // which each changes
}

// takesRows tells whether a statement is given rows and nothing else.
func (q queued) takesRows() bool {
	if len(q.args) != 1 {
		return false
	}
	_, ok := q.args["rows"].(rowSet)
	return ok
}

// joins adds a statement to a group if it may be part of it: if both take rows, and no other of the group changes the same table,
// since one statement changes no row twice.
func (g *group) joins(q queued) bool {
	table := changedBy(q.sql)
	if len(g.statements) > 0 {
		if table == "" || !q.takesRows() || !g.statements[0].takesRows() {
			return false
		}
		for _, t := range g.tables {
			if t == "" || t == table {
				return false
			}
		}
	}
	g.statements, g.tables = append(g.statements, q), append(g.tables, table)
	return true
}

// queueIn puts a group into a batch, as one statement, and empties it. PostgreSQL has about as much to do to begin and to end a
// statement as to write a row, and the program to send it and to read its answer.
func (g *group) queueIn(batch *pgx.Batch) {
	switch len(g.statements) {
	case 0:
		return
	case 1:
		batch.Queue(g.statements[0].sql, g.statements[0].args)
	default:
		args := make(Args, len(g.statements))
		for i, q := range g.statements {
			args[rowsName(i)] = q.args["rows"]
		}
		batch.Queue(mergedText(g.statements), args)
	}
	*g = group{}
}

func rowsName(i int) string { return "rows" + strconv.Itoa(i) }

// merged are the texts of groups by those of their statements.
var merged sync.Map

// mergedText is one statement that does what several do, in their order. Those that nobody reads from are
// done when the whole is at its end, the last one first (ExecPostprocessPlan of PostgreSQL), so the last one stands first here.
func mergedText(statements []queued) string {
	var key strings.Builder
	for _, q := range statements {
		key.WriteString(q.sql)
	}
	if text, ok := merged.Load(key.String()); ok {
		return text.(string)
	}
	var text strings.Builder
	for i := len(statements) - 1; i >= 0; i-- {
		text.WriteString(map[bool]string{true: "WITH ", false: ", "}[text.Len() == 0])
		text.WriteString("s" + strconv.Itoa(i) + " AS (" + strings.ReplaceAll(statements[i].sql, "@rows", "@"+rowsName(i)) + ")")
	}
	text.WriteString(" SELECT")
	merged.Store(key.String(), text.String())
	return text.String()
}

var (
	change  = regexp.MustCompile(`^\s*(?:INSERT INTO|UPDATE|DELETE FROM)\s+(\w+)`)
	changes sync.Map // what statements change, by their texts
)

// changedBy is the table that a statement changes; "" if it does not begin by naming one.
func changedBy(sql string) string {
	if table, ok := changes.Load(sql); ok {
		return table.(string)
	}
	table := ""
	if found := change.FindStringSubmatch(sql); found != nil {
		table = found[1]
	}
	changes.Store(sql, table)
	return table
}
