package api

import (
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"

	"svcpay/internal/event"
)

// eventSchema names the schema of a type of event: ChargeCapturedEvent of charge.captured.
func eventSchema(name string) string { return pascal(name) + "Event" }

// addEvents makes Event the choice between one schema for each type of event, by its member type. Each is complete in
// itself, since many generators cannot merge schemas: what events.yaml says of Event, with the one type, and data with
// the schema of its kind of object. That of a ping is free, as is that of AnyEvent, which has any type.
func addEvents(doc *yaml.Node) {
	schemas := child(doc, "components", "schemas")
	base, baseData := drop(schemas, "Event"), drop(schemas, "EventData")
	union := node("{oneOf: [], discriminator: {propertyName: type, mapping: {}}}")
	put(union, "description", child(base, "description"))
	for _, t := range event.Types() {
		kind := schemaOfKind(schemas, t.Object)
		if t.Name == "ping" {
			kind = "Ping"
		}
		if child(schemas, kind+"EventData") == nil {
			data := clone(baseData)
			if kind != "Ping" {
				put(child(data, "properties"), "object", node("{$ref: '#/components/schemas/%s'}", kind))
			}
			put(schemas, kind+"EventData", data)
		}
		s := clone(base)
		put(s, "description", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: t.Meaning})
		put(child(s, "properties"), "type", node("{type: string, enum: [%s]}", t.Name))
		put(child(s, "properties"), "data", node("{$ref: '#/components/schemas/%sEventData'}", kind))
		put(schemas, eventSchema(t.Name), s)
		oneOf := child(union, "oneOf")
		oneOf.Content = append(oneOf.Content, node("{$ref: '#/components/schemas/%s'}", eventSchema(t.Name)))
		put(child(union, "discriminator", "mapping"), t.Name, node("'#/components/schemas/%s'", eventSchema(t.Name)))
	}
	union.Style, child(union, "oneOf").Style, child(union, "discriminator").Style, child(union, "discriminator",
		"mapping").Style = 0, 0, 0, 0
	put(schemas, "Event", union)
	addAnyEvent(schemas, base)
	put(child(doc, "components", "examples", "EventCaptured", "value", "data"), "object",
		clone(child(doc, "components", "examples", "Captured", "value")))
}

// addAnyEvent adds the schema of what is read by id: an event, or a test event, whose type says nothing about its
// object. A choice between Event and a TestEvent would say more, but generators have no form for it.
func addAnyEvent(schemas, base *yaml.Node) {
	any := clone(base)
	put(any, "description",
		node("'An event, or a test event: its `sequence` is null, and `data.object` is what was sent for it, which need not be an object of this API.'"))
	put(child(any, "properties"), "data", node("{$ref: '#/components/schemas/PingEventData'}"))
	put(schemas, "AnyEvent", any)
}

// clone copies a node with all below it.
func clone(n *yaml.Node) *yaml.Node {
	c := *n
	c.Content = nil
	for _, below := range n.Content {
		c.Content = append(c.Content, clone(below))
	}
	return &c
}

// schemaOfKind names the schema of objects that have versions and are of a kind; "" if there is none.
func schemaOfKind(schemas *yaml.Node, kind string) string {
	for _, name := range keysOf(schemas) {
		s := child(schemas, name)
		if slices.Equal(wordsOf(child(s, "properties", "object", "enum")), []string{kind}) &&
			child(s, "properties", "version") != nil {
			return name
		}
	}
	return ""
}

// TestEveryTypeOfEventHasASchema that takes an event of its type about its object, and no other.
func TestEveryTypeOfEventHasASchema(t *testing.T) {
	t.Parallel()
	schemas := read(t).Components.Schemas
	union := schemas["Event"].Value
	for i, k := range event.Types() {
		s := schemas[eventSchema(k.Name)]
		if s == nil || len(union.OneOf) <= i || union.OneOf[i].Ref != "#/components/schemas/"+eventSchema(k.Name) {
			t.Errorf("%s: Event does not name its schema", k.Name)
			continue
		}
		if got := words(s.Value.Properties["type"].Value.Enum); !slices.Equal(got, []string{k.Name}) {
			t.Errorf("%s: the schema is of %v", k.Name, got)
		}
		if to := union.Discriminator.Mapping[k.Name].Ref; to != "#/components/schemas/"+eventSchema(k.Name) {
			t.Errorf("%s: the discriminator leads to %s", k.Name, to)
		}
		object := s.Value.Properties["data"].Value.Properties["object"].Value
		free := object.Extensions["x-open"] != nil
		if free != (k.Name == "ping") {
			t.Errorf("%s: data.object is free: %v", k.Name, free)
		} else if !free && words(object.Properties["object"].Value.Enum)[0] != k.Object {
			t.Errorf("%s: data.object is no %s", k.Name, k.Object)
		}
	}
	any := schemas["AnyEvent"].Value.Properties
	if free := any["data"].Value.Properties["object"].Value.Extensions["x-open"] != nil; !free ||
		len(any["type"].Value.Enum) != len(event.Types()) {
		t.Errorf("any event has one of %d types, its data.object is free: %v", len(any["type"].Value.Enum), free)
	}
	if n := len(union.Discriminator.Mapping); n != len(event.Types()) || n != len(union.OneOf) {
		t.Errorf("the discriminator knows %d types, Event %d", n, len(union.OneOf))
	}
}
