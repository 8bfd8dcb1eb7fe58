package pg

import "errors"

// Or returns none in the place of [ErrNone], and any other error as it is.
func Or(err, none error) error {
	if errors.Is(err, ErrNone) {
		return none
	}
	return err
}

// OrNil returns nil in the place of a row that does not exist.
func OrNil[T any](row T, err error) (*T, error) {
	if errors.Is(err, ErrNone) {
		return nil, nil
	}
	return &row, err
}

// Hit returns none for a statement that changed no row, and any error of it as it is.
func Hit(n int64, err, none error) error {
	if err == nil && n == 0 {
		return none
	}
	return err
}
