package fault

// Fields collects every mistake of one request, so that its author sees them all at once.
type Fields []Field

// Add records one wrong parameter.
func (fs *Fields) Add(param, code, message string) {
	*fs = append(*fs, Field{Param: param, Code: code, Message: message})
}

// Check records err, if any, under param; a fault keeps its own code.
func (fs *Fields) Check(param string, err error) {
	if err == nil {
		return
	}
	if f, ok := As(err); ok {
		fs.Add(param, f.Code, f.Message)
		return
	}
	fs.Add(param, "parameter_invalid", "This value is not valid here.")
}

// Err returns nil without mistakes, the mistake itself when there is one, and
// validation_failed with the whole list when there are several.
func (fs Fields) Err() error {
	switch len(fs) {
	case 0:
		return nil
	case 1:
		e := Invalid(fs[0].Code, fs[0].Message).On(fs[0].Param)
		e.Fields = fs
		return e
	}
	e := Invalid("validation_failed", "Several parameters are wrong; see errors.").On(fs[0].Param)
	e.Fields = fs
	return e
}
