package rig

import (
	"fmt"
	"net"
	"os"
	"regexp"
	"strings"
)

// Blocks are a document's blocks in a language, in their order.
func Blocks(document, language string) (out []string, err error) {
	text, err := os.ReadFile(document)
	if err != nil {
		return nil, err
	}
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllSubmatch(text, -1) {
		out = append(out, string(m[1]))
	}
	return out, nil
}

// Block is a document's only block in a language, in which each of some texts, which it has once, is replaced by the
// next.
func Block(document, language string, pairs ...string) (string, error) {
	all, err := Blocks(document, language)
	if err != nil || len(all) != 1 {
		return "", fmt.Errorf("%d blocks in %s: %w", len(all), language, err)
	}
	for i := 0; i < len(pairs); i += 2 {
		if strings.Count(all[0], pairs[i]) != 1 {
			return "", fmt.Errorf("the block in %s has not one %q", language, pairs[i])
		}
	}
	return strings.NewReplacer(pairs...).Replace(all[0]), nil
}

// FreeAddr is an address of this machine that no one has.
func FreeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
