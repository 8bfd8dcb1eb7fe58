package erasure

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
)

// personal are the members of the API's objects that may say who a payer is, with what is left of each.
var personal = map[string]string{
	"billing": `{}`, "metadata": `{}`, "evidence": `{}`, "evidence_files": `[]`, "description": `null`, "note": `null`,
	"void_reason":     `null`,
	"cardholder_name": `""`, "email": `""`, "user": `{"firstName": "", "lastName": "", "email": "", "note": ""}`,
}

// without is a JSON text whose personal members say nothing, wherever they stand. One that is no object or list of
// objects stays, such as the user who refunded.
func without(text []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // an amount stays as it is written
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("erasure: %w", err)
	}
	forget(v)
	return json.Marshal(v)
}

// forget empties the personal members of a value and of all that is in it.
func forget(v any) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			forget(one)
		}
	case map[string]any:
		if v["object"] == "file" {
			v["name"] = "" // as anyone who handed it in called it
		}
		for name, member := range v {
			left, named := personal[name]
			if _, text := member.(string); named && !(text && name == "user") && member != nil {
				v[name] = json.RawMessage(left)
				continue
			}
			forget(member)
		}
	}
}

type eventRow struct {
	ID       ids.Event       `db:"id"`
	Object   json.RawMessage `db:"object"`
	Previous json.RawMessage `db:"previous_attributes"`
	Test     bool            `db:"test"`
}

// eventsTx rewrites the events of the payer's objects; what is delivered again says no more than they.
func (p payer) eventsTx(ctx context.Context, tx *pg.Tx) error {
	rows, err := pg.All[eventRow](ctx, tx, `
		SELECT id, object, previous_attributes, test FROM events WHERE application_id = @application_id
			AND object_id = ANY (@objects)`,
		pg.Args{"application_id": p.applicationID, "objects": p.objects()})
	if err != nil {
		return err
	}
	for _, r := range rows {
		if err := r.forget(); err != nil {
			return err
		}
		tx.Later(`UPDATE events SET object = @object, previous_attributes = @previous
			WHERE application_id = @application_id AND id = @id`,
			pg.Args{"application_id": p.applicationID, "id": r.ID, "object": r.Object, "previous": r.Previous})
	}
	return nil
}

// forget takes the payer out of an event. Nothing is left of what someone made up for a test: the payer may be anywhere
// in it.
func (r *eventRow) forget() (err error) {
	if r.Test {
		r.Object, r.Previous = json.RawMessage(`{}`), json.RawMessage(`{}`)
		return nil
	}
	if r.Object, err = without(r.Object); err == nil {
		r.Previous, err = without(r.Previous)
	}
	return err
}
