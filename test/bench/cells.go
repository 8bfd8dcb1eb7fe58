package main

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"
)

// cell is one thing that is measured.
type cell struct {
	name   string
	before func(ctx context.Context) error // makes what the cell works on; nil for nothing
	run    func(ctx context.Context, during time.Duration) (outcome, error)
	floor  bool // pgbench runs it
}

// The names of cells.
const (
	floor8    = "floor, 8 clients"
	floorLone = "floor, 1 client"
	charges32 = "charges, 32 connections"
	charges2  = "charges, 128 connections"
	chargeOne = "charges, 1 connection"
	refunds   = "refunds"
	captures  = "captures"
	listAlone = "the list's query alone, 8 clients"
	listPage  = "portal list of 50 charges, 8 connections"
)

// steadyCells match those whose processor times are compared.
const steadyCells = "^(" + floor8 + "|" + charges32 + "|" + refunds + "|" + captures + "|" + listAlone + "|" +
	listPage + ")$"

// cells are those of every round.
func (b *bench) cells() []cell {
	cells := []cell{
		{name: floor8, run: b.floor(floorDatabase, floorCharge, 8), floor: true},
		{name: charges32, run: b.chargeCell(32)},
		{name: charges2, run: b.chargeCell(128)},
		{name: floorLone, run: b.floor(floorDatabase, floorCharge, 1), floor: true},
		{name: chargeOne, run: b.chargeCell(1)},
		{name: refunds, run: b.refundCell},
		{name: captures, before: b.authorizations, run: b.captureCell},
		{name: listAlone, run: b.floor(productDatabase, floorList, 8), floor: true},
		{name: listPage, run: b.listCell},
	}
	if b.peer != nil {
		cells = append(cells, cell{name: mocked, run: b.peer.charges})
	}
	return append(cells, b.hookCells()...)
}

func (b *bench) floor(database, script string, clients int) func(context.Context, time.Duration) (outcome, error) {
	return func(ctx context.Context, during time.Duration) (outcome, error) {
		return b.cluster.pgbench(ctx, database, script, clients, during)
	}
}

// name is one that no cell had before.
func (b *bench) name() string {
	b.names++
	return fmt.Sprintf("cell%d-", b.names)
}

// made collects the ids of what is made.
type made struct {
	mu  sync.Mutex
	ids []string
}

var idMember = []byte(`"id":"`)

// take is an [answered] that keeps the id of an object that was made.
func (m *made) take(_, status int, body []byte) {
	at := bytes.Index(body, idMember)
	if status != 201 || at < 0 {
		return
	}
	rest := body[at+len(idMember):]
	id := string(rest[:max(0, bytes.IndexByte(rest, '"'))])
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ids = append(m.ids, id)
}

func (b *bench) chargeCell(connections int) func(context.Context, time.Duration) (outcome, error) {
	return func(_ context.Context, during time.Duration) (outcome, error) {
		name := b.name()
		if connections == 32 {
			b.captured.ids = nil
		}
		l := load{addr: b.server.addr, connections: connections, call: b.charges(name, true)}
		if connections == 32 {
			l.answered = b.captured.take
		}
		return l.closed(during)
	}
}

// refundCell returns a little of each charge of the round, in turn.
func (b *bench) refundCell(_ context.Context, during time.Duration) (outcome, error) {
	host, headers, name, all := b.server.host(false), b.headers(), b.name(), b.captured.ids
	if len(all) == 0 {
		return outcome{}, fmt.Errorf("no charges to refund")
	}
	return load{addr: b.server.addr, connections: 32, call: func(turn int) []byte {
		return request("POST", "/api/refunds", host, headers+"Idempotency-Key: "+name+strconv.Itoa(turn)+"\r\n",
			`{"amount":1,"charge_id":"`+all[turn%len(all)]+`"}`)
	}}.closed(during)
}

// authorizations makes what the next cell captures: as many as it could need.
func (b *bench) authorizations(context.Context) error {
	b.authorized.ids = nil
	_, err := load{addr: b.server.addr, connections: 64, call: b.charges(b.name(), false), answered: b.authorized.take,
		most: max(200, len(b.captured.ids)*3/2)}.closed(patience)
	return err
}

func (b *bench) captureCell(_ context.Context, during time.Duration) (outcome, error) {
	host, headers, name, all := b.server.host(false), b.headers(), b.name(), b.authorized.ids
	return load{addr: b.server.addr, connections: 32, most: len(all), call: func(turn int) []byte {
		return request("POST", "/api/charges/"+all[turn]+"/capture", host,
			headers+"Idempotency-Key: "+name+strconv.Itoa(turn)+"\r\n", "")
	}}.closed(during)
}

func (b *bench) listCell(_ context.Context, during time.Duration) (outcome, error) {
	return load{addr: b.server.addr, connections: 8, call: b.list()}.closed(during)
}

// list asks for the portal's list of charges.
func (b *bench) list() call {
	get := request("GET", "/portal/charges", b.server.host(false), b.cookie(), "")
	return func(int) []byte { return get }
}
