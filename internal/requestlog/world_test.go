package requestlog_test

import "svcpay/internal/fault"

func second[T any](_ T, err error) error { return err }

func code(err error) string {
	if f, ok := fault.As(err); ok {
		return f.Code
	}
	return ""
}
