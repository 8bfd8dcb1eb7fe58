// Command svcpay is the payment service: partner API, portal, browser library and jobs.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}
