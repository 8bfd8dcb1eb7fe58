package api

import (
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"svcpay/internal/event"
)

// eventSchema names the schema of a type of event: ChargeCapturedEvent of charge.captured.
func eventSchema(name string) string {
	var out strings.Builder
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '.' || r == '_' }) {
		out.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return out.String() + "Event"
}

// addEvents gives each type of event a schema, to which Event's discriminator leads: an Event of that type
// whose data.object is of its kind. That of a ping is free.
func addEvents(doc *yaml.Node) {
	schemas := child(doc, "components", "schemas")
	mapping := &yaml.Node{Kind: yaml.MappingNode}
	for _, t := range event.Types() {
		s := node(`
allOf:
  - {$ref: '#/components/schemas/Event'}
  - type: object
    properties:
      type: {type: string, enum: [%s]}
`, t.Name)
		put(s, "description", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: t.Meaning})
		if kind := schemaOfKind(schemas, t.Object); kind != "" && t.Name != "ping" {
			put(child(child(s, "allOf").Content[1], "properties"), "data", node("{type: object, properties: {object: {$ref: '#/components/schemas/%s'}}}", kind))
		}
		put(schemas, eventSchema(t.Name), s)
		put(mapping, t.Name, node("'#/components/schemas/%s'", eventSchema(t.Name)))
	}
	d := node("{propertyName: type}")
	d.Style = 0
	put(d, "mapping", mapping)
	put(child(schemas, "Event"), "discriminator", d)
}

// schemaOfKind names the schema of objects that have versions and are of a kind; "" if there is none.
func schemaOfKind(schemas *yaml.Node, kind string) string {
	for _, name := range keysOf(schemas) {
		s := child(schemas, name)
		if slices.Equal(wordsOf(child(s, "properties", "object", "enum")), []string{kind}) && child(s, "properties", "version") != nil {
			return name
		}
	}
	return ""
}

// TestEveryTypeOfEventHasASchema that takes an event of its type about its object, and no other.
func TestEveryTypeOfEventHasASchema(t *testing.T) {
	t.Parallel()
	schemas := read(t).Components.Schemas
	for _, k := range event.Types() {
		s := schemas[eventSchema(k.Name)]
		if s == nil || len(s.Value.AllOf) != 2 || s.Value.AllOf[0].Ref != "#/components/schemas/Event" {
			t.Errorf("%s: no schema of an Event", k.Name)
			continue
		}
		own := s.Value.AllOf[1].Value.Properties
		if got := words(own["type"].Value.Enum); !slices.Equal(got, []string{k.Name}) {
			t.Errorf("%s: the schema is of %v", k.Name, got)
		}
		if to := schemas["Event"].Value.Discriminator.Mapping[k.Name].Ref; to != "#/components/schemas/"+eventSchema(k.Name) {
			t.Errorf("%s: the discriminator leads to %s", k.Name, to)
		}
		free := own["data"] == nil
		if free != (k.Name == "ping") {
			t.Errorf("%s: data.object is free: %v", k.Name, free)
		} else if !free && words(own["data"].Value.Properties["object"].Value.Properties["object"].Value.Enum)[0] != k.Object {
			t.Errorf("%s: data.object is no %s", k.Name, k.Object)
		}
	}
	if n := len(schemas["Event"].Value.Discriminator.Mapping); n != len(event.Types()) {
		t.Errorf("the discriminator knows %d types", n)
	}
}
