package statement

import (
	"fmt"
	"io"
	"strings"
	"time"

	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/payout"
	"svcpay/internal/platform/calendar"
	"svcpay/internal/platform/typeset"
)

// Paper is the size of a printed page.
type Paper string

// The sizes.
const (
	Letter Paper = "letter" // as in the United States and Canada
	A4     Paper = "a4"
)

// Measures of the page, in millimeters.
const (
	margin     = 20.0
	rowHeight  = 6.5
	titleSize  = 18.0 // points, like the other sizes
	textSize   = 9.5
	smallSize  = 8.0
	amountWide = 38.0
	countWide  = 24.0
)

// PDF writes a statement as a PDF file: the month in sums, and its payouts.
func PDF(st Statement, paper Paper, to io.Writer) error {
	return writePDF(st.Period, "Statement", paper, to, func(s *sheet) {
		s.sums(st)
		s.standing(st.Closing)
		s.payouts(st.Payouts)
	})
}

// sheet is a file in the making.
type sheet struct {
	*typeset.Sheet
	zone  *time.Location
	of    Period
	width float64   // between the margins
	least float64   // where a page has no room for another row
	table [3]string // head of the table that is written
}

// writePDF writes what body puts on a sheet about a period. The same content is the same file.
func writePDF(p Period, title string, paper Paper, to io.Writer, body func(*sheet)) error {
	zone, err := calendar.Zone(p.TimeZone)
	if err != nil {
		return err
	}
	pdf := typeset.New(map[Paper]string{Letter: "Letter", A4: "A4"}[paper])
	pdf.SetCreationDate(p.CreatedAt.Time)
	pdf.SetModificationDate(p.CreatedAt.Time)
	pdf.SetCatalogSort(true)
	pdf.SetMargins(margin, margin, margin)
	pdf.SetAutoPageBreak(true, margin)
	pdf.AliasNbPages("{pages}")
	wide, high := pdf.GetPageSize()
	s := &sheet{Sheet: pdf, zone: zone, of: p, width: wide - 2*margin, least: high - margin}
	pdf.SetTitle(fmt.Sprintf("%s %s, %s", title, p.Month, p.MerchantName), true)
	pdf.SetFooterFunc(s.footer)
	pdf.AddPage()
	s.head(title)
	body(s)
	if s.Missing() {
		s.note(string(typeset.Replacement) + " replaces a character that this document cannot display.")
	}
	return pdf.Output(to)
}

func (s *sheet) footer() {
	s.SetY(-margin + 6)
	s.Font(typeset.Regular, smallSize)
	s.SetTextColor(110, 110, 110)
	s.Cell(s.width/2, 4, s.Fitting(s.of.MerchantName+", "+s.of.Month, s.width/2), "", "L", false, 0)
	// replaced after the last page
	s.CellFormat(s.width/2, 4, fmt.Sprintf("Page %d of {pages}", s.PageNo()), "", 0, "R", false, 0, "")
	s.SetTextColor(0, 0, 0)
}

// head tells whose month it is.
func (s *sheet) head(title string) {
	first := s.of.From.In(s.zone)
	s.Font(typeset.Bold, titleSize)
	s.Paragraph(s.width, 8, s.of.MerchantName, "L")
	s.Font(typeset.Regular, 12)
	s.Paragraph(s.width, 7, title+" for "+first.Format("January 2006"), "L")
	s.Ln(1)
	s.Font(typeset.Regular, smallSize)
	s.SetTextColor(90, 90, 90)
	last := s.of.Until.In(s.zone).AddDate(0, 0, -1)
	about := []string{
		fmt.Sprintf("Merchant %d, %s", s.of.MerchantID, s.of.Organization.Name),
		fmt.Sprintf("%s to %s (%s), amounts in %s", first.Format("January 2, 2006"), last.Format("January 2, 2006"),
			s.of.TimeZone, strings.ToUpper(string(s.of.Currency))),
	}
	if !s.of.Complete {
		about = append(about, "Interim statement as of "+s.of.CreatedAt.In(s.zone).Format("January 2, 2006, 15:04")+".")
	}
	if !s.of.Livemode {
		about = append(about, "Sandbox: test data only")
	}
	for _, line := range about {
		s.Paragraph(s.width, 4.5, line, "L")
	}
	s.SetTextColor(0, 0, 0)
	s.Ln(5)
}

// sums is the table of what happened: a row for each group, under it its kinds.
func (s *sheet) sums(st Statement) {
	s.title("", "Count", "Amount")
	s.row(true, "Opening balance", "", st.OpeningBalance.Decimal())
	for _, g := range Groups() {
		var count int
		var sum money.Amount
		var kinds []Line
		for _, l := range st.Lines {
			if l.Group == g {
				count, sum, kinds = count+l.Count, sum+l.Amount, append(kinds, l)
			}
		}
		if len(kinds) == 0 {
			continue
		}
		s.row(true, words(string(g)), fmt.Sprint(count), sum.Decimal())
		for _, l := range kinds {
			s.row(false, "    "+words(l.Kind), fmt.Sprint(l.Count), l.Amount.Decimal())
		}
	}
	s.row(true, "Closing balance", "", st.ClosingBalance.Decimal())
	s.Ln(6)
}

// standing says where the closing balance is.
func (s *sheet) standing(c ledger.Accounts) {
	s.title("Closing balance breakdown", "", "Amount")
	s.row(false, "Pending: not settled yet", "", c.Pending.Decimal())
	s.row(false, "Available: in the next payout", "", c.Available.Decimal())
	s.row(false, "Reserved: held for disputes", "", c.Reserved.Decimal())
	s.row(false, "In transit to bank", "", c.InTransit.Decimal())
	s.Ln(6)
}

func (s *sheet) payouts(all []PayoutLine) {
	if len(all) == 0 {
		return
	}
	s.title("Payouts", "Arrived", "Amount")
	for _, p := range all {
		what := fmt.Sprintf("%s to account %s", p.ID, "…"+p.BankLast4)
		if p.Status == payout.Returned {
			what += ", returned " + p.ReturnedAt.In(s.zone).Format("Jan 2")
		}
		s.row(false, what, p.PaidAt.In(s.zone).Format("Jan 2"), p.Amount.Decimal())
	}
}

// title begins a table. Its head is repeated on each page that the table goes on to.
func (s *sheet) title(what, middle, right string) {
	s.table = [3]string{what, middle, right}
	s.room(2 * rowHeight) // a head is not left alone
	s.tableHead()
}

// note is a line below the tables.
func (s *sheet) note(words string) {
	s.room(rowHeight)
	s.Font(typeset.Regular, smallSize)
	s.SetTextColor(90, 90, 90)
	s.Paragraph(s.width, 4.5, words, "L")
	s.SetTextColor(0, 0, 0)
}

// room goes on to another page if this one has no room for so much, and reports whether it did.
func (s *sheet) room(height float64) bool {
	full := s.GetY()+height > s.least
	if full {
		s.AddPage()
	}
	return full
}

func (s *sheet) tableHead() {
	s.SetFillColor(236, 240, 244)
	s.Font(typeset.Bold, smallSize)
	s.cells(s.table[0], s.table[1], s.table[2], "B", true)
}

func (s *sheet) row(strong bool, what, middle, right string) {
	if s.room(rowHeight) {
		s.tableHead()
	}
	style := typeset.Regular
	if strong {
		style = typeset.Bold
	}
	s.Font(style, textSize)
	s.SetDrawColor(205, 211, 217)
	s.cells(what, middle, right, "B", false)
}

func (s *sheet) cells(what, middle, right, border string, fill bool) {
	wide := s.width - countWide - amountWide
	s.Cell(wide, rowHeight, s.Fitting(what, wide), border, "L", fill, 0)
	s.Cell(countWide, rowHeight, middle, border, "R", fill, 0)
	s.Cell(amountWide, rowHeight, right, border, "R", fill, 1)
}

// words writes a name of the API for people: ach_return_fee as "Ach return fee".
func words(name string) string {
	for _, short := range []string{"ach", "amex"} {
		if rest, ok := strings.CutPrefix(name, short+"_"); ok {
			return strings.ToUpper(short) + " " + strings.ReplaceAll(rest, "_", " ")
		}
	}
	return strings.ToUpper(name[:1]) + strings.ReplaceAll(name[1:], "_", " ")
}
