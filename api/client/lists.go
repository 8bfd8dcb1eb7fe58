package client

import (
	"context"
	"fmt"
	"iter"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Page is a page of a list. Next and Previous are what StartingAfter and EndingBefore take; nil where the list ends.
type Page[T any] struct {
	Data     []T     `json:"data"`
	HasMore  bool    `json:"has_more"`
	Next     *string `json:"next"`
	Previous *string `json:"previous"`
	URL      string  `json:"url"`
}

// all goes through a list page by page: backwards if it was asked for what ends before something.
func all[T any](ctx context.Context, t *transport, c call, options []Option) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		query := encodeQuery(c.query)
		c := c // one walk's own
		c.query = query
		backwards := query.Has("ending_before")
		for {
			page, err := send[Page[T]](ctx, t, c, options)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			if backwards {
				slices.Reverse(page.Data)
			}
			for _, item := range page.Data {
				if !yield(item, nil) {
					return
				}
			}
			switch {
			case page.HasMore && backwards && page.Previous != nil:
				query.Set("ending_before", *page.Previous)
			case page.HasMore && !backwards && page.Next != nil:
				query.Set("starting_after", *page.Next)
			default:
				return
			}
		}
	}
}

// encodeQuery writes one of the …Params: several values with commas, unless the name ends in [], and a map as
// name[key]=value.
func encodeQuery(params any) url.Values {
	if q, ok := params.(url.Values); ok || params == nil {
		return q
	}
	values := url.Values{}
	for field, value := range reflect.ValueOf(params).Fields() {
		name, option, _ := strings.Cut(field.Tag.Get("query"), ",")
		if option == "omitzero" && value.IsZero() {
			continue
		}
		switch v := reflect.Indirect(value); v.Kind() {
		case reflect.Map:
			for key, text := range v.Seq2() {
				values.Set(fmt.Sprintf("%s[%s]", name, key), textOf(text))
			}
		case reflect.Slice:
			var texts []string
			for _, item := range v.Seq2() {
				texts = append(texts, textOf(item))
			}
			if !strings.HasSuffix(name, "[]") {
				texts = []string{strings.Join(texts, ",")}
			}
			values[name] = texts
		default:
			values.Set(name, textOf(v))
		}
	}
	return values
}

func textOf(v reflect.Value) string {
	if t, ok := v.Interface().(time.Time); ok {
		return t.UTC().Format(time.RFC3339Nano)
	}
	return fmt.Sprint(v.Interface())
}
