package api

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"svcpay/internal/assembly"
	"svcpay/internal/authz"
	"svcpay/internal/event"
)

// complete adds everything that a source need not say.
func complete(doc *yaml.Node) error {
	fillEnums(doc)
	addEvents(doc)
	if err := addExamples(doc); err != nil {
		return err
	}
	responses := ensure(child(doc, "components"), "responses")
	for _, s := range shared {
		put(responses, s.name, errorResponse(s.codes))
	}
	paths := child(doc, "paths")
	for _, path := range keysOf(paths) {
		for _, method := range keysOf(child(paths, path)) {
			op := operation{doc: doc, node: child(paths, path, method), method: method, path: path}
			if err := op.complete(); err != nil {
				return fmt.Errorf("%s %s: %w", method, path, err)
			}
		}
	}
	prune(doc)
	tellDefaults(child(doc, "components", "schemas"))
	return nil
}

// tellDefaults says the default of a request's member in its description and in x-default. Generators that read the
// keyword default take such a member for one that is always there, and ask senders for it.
func tellDefaults(schemas *yaml.Node) {
	for _, name := range keysOf(schemas) {
		properties := child(schemas, name, "properties")
		for _, member := range keysOf(properties) {
			property := child(properties, member)
			value := drop(property, "default")
			if value == nil {
				continue
			}
			text := fmt.Sprintf("Default: `%s`.", value.Value)
			if d := child(property, "description"); d != nil {
				text = d.Value + " " + text
			}
			put(property, "description", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text})
			put(property, "x-default", value)
		}
	}
}

// prune drops the responses and examples made here that nothing refers to.
func prune(doc *yaml.Node) {
	for _, section := range []string{"responses", "examples"} { // the responses refer to examples
		used := make(map[string]bool)
		references(doc, used)
		entries := child(doc, "components", section)
		for _, name := range keysOf(entries) {
			if !used["#/components/"+section+"/"+name] {
				drop(entries, name)
			}
		}
	}
}

// references collects every $ref below a node.
func references(n *yaml.Node, used map[string]bool) {
	if n.Kind == yaml.MappingNode {
		if ref := child(n, "$ref"); ref != nil {
			used[ref.Value] = true
		}
	}
	for _, c := range n.Content {
		references(c, used)
	}
}

// fillEnums sets the enums that are the code's.
func fillEnums(doc *yaml.Node) {
	var names, types, fields, reasons, permissions, rights []string
	for _, c := range codes {
		names = append(names, c.Name)
		if d := c.dress(); !slices.Contains(types, d.Type) {
			types = append(types, d.Type)
		}
		if c.Field {
			fields = append(fields, c.Name)
		}
	}
	for _, d := range declines {
		reasons = append(reasons, d.Name)
	}
	for _, r := range new(API).routes() {
		if p := string(r.permission); p != "" && !slices.Contains(permissions, p) {
			permissions = append(permissions, p)
		}
	}
	for _, r := range authz.Rights() {
		rights = append(rights, string(r))
	}
	var forTokens, forSessions []string
	for _, c := range assembly.SandboxCases() {
		switch c.For {
		case "tokens":
			forTokens = append(forTokens, c.Name)
		case "daf_sessions":
			forSessions = append(forSessions, c.Name)
		}
	}
	for name, enum := range map[string][]string{
		"TokenTestCase": forTokens, "DafTestCase": forSessions,
		"EventType": event.Names(), "ErrorCode": names, "ErrorType": types, "FieldErrorCode": fields,
		"DeclineCode": reasons, "Permission": permissions, "Right": rights,
	} {
		put(child(doc, "components", "schemas", name), "enum", flow(enum))
	}
}

// operation is one operation of the contract while it is completed.
type operation struct {
	doc, node    *yaml.Node
	method, path string
	asks         bool // a POST that changes nothing
	versioned    bool // a change that takes If-Match
	expands      []string
	public       bool // anyone who asks is answered
}

func (o *operation) complete() error {
	o.asks, o.versioned = drop(o.node, "x-asks") != nil, drop(o.node, "x-versioned") != nil
	if o.public = drop(o.node, "x-public") != nil; o.public {
		put(o.node, "security", node("[]"))
	}
	id, item, own := drop(o.node, "x-id"), drop(o.node, "x-list"), wordsOf(drop(o.node, "x-errors"))
	o.expands = wordsOf(drop(o.node, "x-expand"))
	for _, key := range keysOf(o.node) {
		if strings.HasPrefix(key, "x-") {
			return fmt.Errorf("%s means nothing", key)
		}
	}
	if err := o.addParameters(id, item); err != nil {
		return err
	}
	if item != nil {
		if err := o.addPage(item.Value); err != nil {
			return err
		}
	}
	responses := child(o.node, "responses")
	for _, status := range keysOf(responses) {
		if status >= "300" {
			return fmt.Errorf("list the codes of %s in x-errors", status)
		}
		o.addHeaders(child(responses, status))
	}
	return o.addErrors(own, item != nil)
}

func (o operation) takesKey() bool {
	parameters := child(o.node, "parameters")
	return parameters != nil && slices.ContainsFunc(parameters.Content, func(p *yaml.Node) bool {
		ref := child(p, "$ref")
		return ref != nil && ref.Value == "#/components/parameters/IdempotencyKey"
	})
}

// addParameters puts what follows from the operation's form around its own parameters.
func (o operation) addParameters(id, item *yaml.Node) error {
	ref := func(name string) *yaml.Node { return node("{$ref: '#/components/parameters/%s'}", name) }
	all := &yaml.Node{Kind: yaml.SequenceNode}
	if id != nil {
		example, err := sample(o.doc, node("{$ref: '#/components/schemas/%s'}", id.Value))
		if err != nil {
			return fmt.Errorf("%s: %w", id.Value, err)
		}
		_, name, _ := strings.Cut(o.path, "{")
		name, _, _ = strings.Cut(name, "}")
		p := node("{name: %s, in: path, required: true, description: Text of another form is the %s of nothing., schema: {type: string}}", name, name)
		put(p, "example",
			&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: example.Value, Style: yaml.SingleQuotedStyle})
		all.Content = append(all.Content, p)
	}
	if item != nil {
		const cursor = "{name: %s, in: query, description: '%s', schema: {$ref: '#/components/schemas/%s'}}"
		schema := item.Value + "Id"
		if own := item.Value + "Cursor"; child(o.doc, "components", "schemas", own) != nil {
			schema = own
		}
		all.Content = append(all.Content, ref("Limit"),
			node(cursor, startingAfter,
				"The page after this object in the order of the list; `next` of the page before.", schema),
			node(cursor, endingBefore,
				"The page before this object in the order of the list; `previous` of the page after. Not with `starting_after`.", schema),
			ref("Order"))
	}
	if own := child(o.node, "parameters"); own != nil {
		all.Content = append(all.Content, own.Content...)
	}
	if len(o.expands) > 0 {
		all.Content = append(all.Content, node(`
name: expand[]
in: query
description: What to give whole beside its id, once for each; as a member of that name.
schema: {type: array, uniqueItems: true, items: {type: string, enum: [%s]}}
`, strings.Join(o.expands, ", ")))
	}
	if o.method == "post" && !o.asks {
		all.Content = append(all.Content, ref("IdempotencyKey"))
	}
	if o.versioned {
		all.Content = append(all.Content, ref("IfMatch"))
	}
	if drop(o.node, "parameters"); len(all.Content) > 0 {
		put(o.node, "parameters", all)
	}
	return nil
}

// addPage answers a list with a page, whose schema it makes: ChargeList for x-list: Charge.
func (o operation) addPage(item string) error {
	schemas := child(o.doc, "components", "schemas")
	if child(schemas, item) == nil || child(schemas, item+"Id") == nil {
		return fmt.Errorf("x-list: no schema %s or %sId", item, item)
	}
	if child(schemas, item+"List") == nil {
		put(schemas, item+"List", node(`
type: object
additionalProperties: false
required: [object, data, has_more, next, previous, url]
properties:
  object: {type: string, enum: [list]}
  data: {type: array, maxItems: 100, items: {$ref: '#/components/schemas/%s'}}
  has_more: {type: boolean, description: Whether more lies beyond the page in the direction that was asked for.}
  next: {type: string, nullable: true, description: What to send as starting_after for the page after; null at the end.}
  previous: {type: string, nullable: true,
    description: What to send as ending_before for the page before; null at the start.}
  url: {type: string, description: The path of the list.}
`, item))
	}
	put(ensure(o.node, "responses"), "200", node(`
description: One page, newest first unless order is asc. Every parameter is given at most once.
content:
  application/json:
    schema: {$ref: '#/components/schemas/%sList'}
    examples: {empty: {value: {object: list, data: [], has_more: false, next: null, previous: null, url: %s}}}
`, item, strings.ReplaceAll(o.path, "{id}", "…")))
	return nil
}

// addHeaders adds what every success of an operation that takes a key has to the response's own headers.
func (o operation) addHeaders(response *yaml.Node) {
	if o.takesKey() {
		put(ensure(response, "headers"), "Idempotent-Replayed", node("{$ref: '#/components/headers/ReplayedHeader'}"))
	}
}
