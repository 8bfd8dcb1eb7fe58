// Command svcpay is the payment service: partner API, portal, browser library and jobs.
package main

import (
	"os"
	_ "time/tzdata" // merchants have time zones, machines may have no list of them
)

func main() {
	os.Exit(run(os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}
