package vault

// WithPages is a vault whose rotation looks at so many tokens at a time.
func (v *Vault) WithPages(page int) *Vault { return &Vault{keys: v.keys, page: page} }

// RotationStatements read pages of the tokens after one.
var RotationStatements = map[string]string{"end": endOfPage, "count": countFormer, "lock": lockFormer}
