package page

// Amounts is a span of amounts in minor units: from Least (nil: any) to Most (nil: any), both
// included. In SQL:
//
//	(@least::bigint IS NULL OR amount >= @least) AND (@most::bigint IS NULL OR amount <= @most)
type Amounts struct{ Least, Most *int64 }
