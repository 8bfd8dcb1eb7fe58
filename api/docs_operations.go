package api

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// operationGroup is the operations of a tag of the contract.
type operationGroup struct {
	Tag        string
	Operations []listedOperation
}

// listedOperation is one operation of the contract, as the page without JavaScript lists it.
type listedOperation struct{ Method, Path, Summary string }

// operationGroups reads the operations of the contract, grouped by their first tag in the order of the contract's tags.
func operationGroups() ([]operationGroup, error) {
	var contract struct {
		Tags  []struct{ Name string }
		Paths map[string]map[string]yaml.Node
	}
	if err := yaml.Unmarshal(openapiYAML, &contract); err != nil {
		return nil, err
	}
	groups := make([]operationGroup, 0, len(contract.Tags))
	for _, tag := range contract.Tags {
		groups = append(groups, operationGroup{Tag: tag.Name})
	}
	for path, item := range contract.Paths {
		for method, node := range item {
			if err := addOperation(groups, strings.ToUpper(method), path, node); err != nil {
				return nil, err
			}
		}
	}
	for _, g := range groups {
		slices.SortFunc(g.Operations, func(a, b listedOperation) int {
			return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(methodOrder(a.Method), methodOrder(b.Method)))
		})
	}
	return groups, nil
}

// addOperation puts a member of a path into its group. Members that are no operation, such as parameters, have no tags.
func addOperation(groups []operationGroup, method, path string, node yaml.Node) error {
	if node.Kind != yaml.MappingNode {
		return nil
	}
	var of struct {
		Tags    []string
		Summary string
	}
	if err := node.Decode(&of); err != nil {
		return err
	}
	for i := range groups {
		if len(of.Tags) > 0 && groups[i].Tag == of.Tags[0] {
			groups[i].Operations = append(groups[i].Operations, listedOperation{method, path, of.Summary})
		}
	}
	return nil
}

// methodOrder is the order of methods of one path: reads first.
func methodOrder(method string) int {
	return slices.Index([]string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete},
		method)
}
