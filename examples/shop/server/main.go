// Command server runs the demo shop alone, configured by its environment.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"svcpay/examples/shop"
)

func main() {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if err := run(log); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(log *slog.Logger) error {
	cfg, err := fromEnvironment(os.Getenv)
	if err != nil {
		return err
	}
	cfg.Log = log
	server := &http.Server{
		Addr:              cmp.Or(os.Getenv("SHOP_ADDR"), "127.0.0.1:8081"),
		Handler:           shop.New(cfg),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      35 * time.Second, // more than the shop takes for a charge
		IdleTimeout:       75 * time.Second,
		MaxHeaderBytes:    16 << 10,
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		end, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		stopped <- server.Shutdown(end)
	}()
	log.Info("the shop is open", "address", "http://"+server.Addr)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}

// fromEnvironment reads the configuration and reports all that is wrong at once.
func fromEnvironment(getenv func(string) string) (shop.Config, error) {
	var wrong []error
	text := func(name string) string {
		value := getenv(name)
		if value == "" {
			wrong = append(wrong, fmt.Errorf("%s is not set", name))
		}
		return value
	}
	address := func(name string) string {
		value := text(name)
		if value != "" && !strings.HasPrefix(value, "http://") && !strings.HasPrefix(value, "https://") {
			wrong = append(wrong, fmt.Errorf("%s must be an http or https address", name))
		}
		return value
	}
	number := func(name string) int64 {
		value := text(name)
		n, err := strconv.ParseInt(value, 10, 64)
		if value != "" && (err != nil || n < 1) {
			wrong = append(wrong, fmt.Errorf("%s must be a positive integer", name))
		}
		return n
	}
	cfg := shop.Config{
		BaseURL: address("SVCPAY_URL"), PayURL: address("SVCPAY_PAY_URL"), AppID: number("SVCPAY_APP_ID"),
		SecretKey: text("SVCPAY_SECRET_KEY"), PublicKey: text("SVCPAY_PUBLIC_KEY"),
		Merchants: []shop.Merchant{{ID: number("SVCPAY_MERCHANT_ID"), Name: "Riverside Food Bank"}},
	}
	return cfg, errors.Join(wrong...)
}
