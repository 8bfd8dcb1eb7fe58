package merchant

// Dependencies are what the service works with; a test makes another service of them.
func (s *Service) Dependencies() Deps { return s.deps }
