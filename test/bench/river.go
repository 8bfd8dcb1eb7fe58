package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	riverqueue "github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const riverDatabase = "river"

// River as it does best here: more workers made it slower, fewer too. Jobs are fetched as often as it allows.
const (
	riverWorkers  = 256
	riverCooldown = 2 * time.Millisecond
	riverPoll     = 20 * time.Millisecond
)

// river sends webhooks as jobs of River, from this process: each job has its body in it, is signed and posted on a kept
// connection.
type river struct {
	url  string
	pool *pgxpool.Pool
	http *http.Client
	to   *receiver
}

// post is a job.
type post struct {
	ID   string `json:"id"`
	Body string `json:"body"`
}

// Kind implements riverqueue.JobArgs.
func (post) Kind() string { return "post" }

func newRiver(ctx context.Context, c *cluster, to *receiver) (*river, error) {
	if err := c.exec(ctx, productDatabase, "CREATE DATABASE "+riverDatabase); err != nil {
		return nil, err
	}
	pool, err := pgxpool.New(ctx, c.url(riverDatabase))
	if err != nil {
		return nil, err
	}
	r := &river{url: c.url(riverDatabase), pool: pool, to: to,
		http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: riverWorkers, DisableCompression: true}}}
	m, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: quietLog})
	if err != nil {
		return r, err
	}
	_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return r, err
}

var quietLog = slog.New(slog.DiscardHandler)

func (r *river) stop() {
	if r != nil {
		r.pool.Close()
	}
}

// cell measures River with the bodies of the last events.
func (r *river) cell(b *bench) cell {
	var bodies []post
	return cell{name: hooksRiver,
		before: func(ctx context.Context) error {
			first, err := r.posts(ctx, b, firstHooks)
			if err == nil {
				err = r.insert(ctx, first)
			}
			if err != nil {
				return err
			}
			o, err := r.work(ctx, len(first))
			if err != nil {
				return err
			}
			if bodies, err = r.posts(ctx, b, enough(o, b.seconds, 1)); err != nil {
				return err
			}
			return r.insert(ctx, bodies)
		},
		run: func(ctx context.Context, _ time.Duration) (outcome, error) { return r.work(ctx, len(bodies)) },
	}
}

// posts are as many jobs as events would be sent, with what the service sent of one.
func (r *river) posts(ctx context.Context, b *bench, n int) ([]post, error) {
	if r.to.body() == "" { // nothing was sent yet
		if _, err := b.deliver(ctx, 1, []*receiver{r.to}, []*receiver{r.to}); err != nil {
			return nil, err
		}
	}
	out, body := make([]post, n), r.to.body()
	for i := range out {
		out[i] = post{ID: "msg_" + strconv.Itoa(i), Body: body}
	}
	return out, nil
}

// insert queues jobs while no one works.
func (r *river) insert(ctx context.Context, jobs []post) error {
	r.to.forget()
	if _, err := r.pool.Exec(ctx, "TRUNCATE river_job"); err != nil {
		return err
	}
	client, err := riverqueue.NewClient(riverpgxv5.New(r.pool), &riverqueue.Config{Logger: quietLog})
	if err != nil {
		return err
	}
	for some := range slices.Chunk(jobs, 1000) {
		params := make([]riverqueue.InsertManyParams, len(some))
		for i, job := range some {
			params[i].Args = job
		}
		if _, err := client.InsertMany(ctx, params); err != nil {
			return err
		}
	}
	_, err = r.pool.Exec(ctx, "ANALYZE river_job")
	return err
}

// work does all jobs.
func (r *river) work(ctx context.Context, n int) (o outcome, err error) {
	conn, err := pgx.Connect(ctx, r.url)
	if err != nil {
		return o, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	hook, err := standardwebhooks.NewWebhook(r.to.secret)
	if err != nil {
		return o, err
	}
	w, workers := &poster{river: r, hook: hook}, riverqueue.NewWorkers()
	riverqueue.AddWorker(workers, w)
	client, err := riverqueue.NewClient(riverpgxv5.New(r.pool),
		&riverqueue.Config{Logger: quietLog, Workers: workers, FetchCooldown: riverCooldown,
			FetchPollInterval: riverPoll,
			Queues:            map[string]riverqueue.QueueConfig{riverqueue.QueueDefault: {MaxWorkers: riverWorkers}}})
	if err != nil {
		return o, err
	}
	began := time.Now()
	if err := client.Start(ctx); err != nil {
		return o, err
	}
	if err = arrived(ctx, n, []*receiver{r.to}); err == nil {
		err = none(ctx, conn, "SELECT EXISTS (SELECT FROM river_job WHERE state <> 'completed')")
	}
	o.took = time.Since(began)
	err = errors.Join(err, client.Stop(context.WithoutCancel(ctx)), r.to.took(n))
	slices.Sort(w.took)
	if o.latencies = w.took; err == nil && len(w.took) != n {
		err = fmt.Errorf("%d of %d jobs of River were sent", len(w.took), n)
	}
	return o, err
}

// poster is River's worker.
type poster struct {
	riverqueue.WorkerDefaults[post]
	*river
	hook *standardwebhooks.Webhook

	mu   sync.Mutex
	took []time.Duration
}

// Work implements riverqueue.Worker.
func (p *poster) Work(ctx context.Context, job *riverqueue.Job[post]) error {
	began, body := time.Now(), []byte(job.Args.Body)
	signature, err := p.hook.Sign(job.Args.ID, began, body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.to.url(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "User-Agent": "SvcPay-Webhooks/1",
		"Webhook-Id": job.Args.ID, "Webhook-Timestamp": unix(began), "Webhook-Signature": signature} {
		request.Header.Set(name, value)
	}
	answer, err := p.http.Do(request)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err == nil && answer.StatusCode != http.StatusOK {
		err = errors.New(answer.Status)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.took = append(p.took, time.Since(began))
	return err
}

func unix(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }
