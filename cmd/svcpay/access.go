package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"svcpay/api/client"
	"svcpay/internal/apikey"
	"svcpay/internal/platform/localpg"
	"svcpay/internal/sandbox/demo"
)

// The settings of commands that work as an application. No server reads them, except for the first.
const (
	baseURLSetting     = "SVCPAY_BASE_URL"
	appIDSetting       = "SVCPAY_APP_ID"
	apiKeySetting      = "SVCPAY_API_KEY"
	credentialsSetting = "SVCPAY_CREDENTIALS"
	secretSetting      = "SVCPAY_WEBHOOK_SECRET"
)

// applicationSettings are those that a server's environment may have next to its own.
var applicationSettings = []string{appIDSetting, apiKeySetting, credentialsSetting, secretSetting}

// access is how a command reaches a deployment's API, as an application.
type access struct {
	BaseURL     string `name:"base-url" placeholder:"URL" help:"The deployment, such as https://api.example.org (SVCPAY_BASE_URL)."`
	AppID       int64  `name:"app-id" placeholder:"N" help:"The application's id, X-App-ID (SVCPAY_APP_ID)."`
	APIKey      string `name:"api-key" placeholder:"KEY" help:"A secret or restricted key of the application. Prefer SVCPAY_API_KEY: other users of the machine can see flags."`
	Credentials string `placeholder:"FILE" help:"The file that svcpay dev wrote, instead of the three flags above (SVCPAY_CREDENTIALS; the default is credentials.json in the state directory)."`
}

// Help is that of commands that have no other.
func (access) Help() string { return accessHelp }

// accessHelp is told by the commands that have access.
const accessHelp = "With a running svcpay dev, no flags are needed. For another deployment, set --base-url, --app-id and --api-key, or their environment variables."

// partner is the API as an application sees it.
type partner struct {
	*client.Client
	url      string
	app      int64
	key      string
	merchant int64  // one of the application's; 0 if none is known
	stateDir string // where commands keep what they remember
}

// open finds the deployment.
func (a access) open(w *world, settings ...client.Setting) (*partner, error) {
	p, err := a.find(w)
	if err != nil {
		return nil, err
	}
	retrying := client.WithRetryNotice(func(failed error, _ time.Duration) {
		fmt.Fprintf(w.stderr, "%s\nRetrying.\n", said(failed))
	})
	p.Client, err = client.New(p.url, p.app, p.key, append(settings, client.WithUserAgent("svcpay-cli"), retrying)...)
	if err != nil {
		return nil, fmt.Errorf("%s, %s or %s is wrong: %w", baseURLSetting, appIDSetting, apiKeySetting, err)
	}
	return p, nil
}

// find says whom a command works as: anyone who is named, else the first application of svcpay dev.
func (a access) find(w *world) (*partner, error) {
	p := &partner{url: cmp.Or(a.BaseURL, lookup(w.env, baseURLSetting)), app: a.AppID,
		key:      cmp.Or(a.APIKey, lookup(w.env, apiKeySetting)),
		stateDir: stateDirOf(w)}
	id := lookup(w.env, appIDSetting)
	if p.app == 0 && id != "" {
		var err error
		if p.app, err = strconv.ParseInt(id, 10, 64); err != nil {
			return nil, fmt.Errorf("%s is not a number", appIDSetting)
		}
	}
	switch named := []bool{p.url != "", p.app != 0, p.key != ""}; {
	case named[0] && named[1] && named[2]:
		p.url = strings.TrimSuffix(p.url, "/")
		return p, nil
	case named[0] || named[1] || named[2]:
		return nil, fmt.Errorf("give all of --base-url, --app-id and --api-key (%s, %s, %s), or none for svcpay dev",
			baseURLSetting, appIDSetting, apiKeySetting)
	}
	return p, p.demo(credentialsPath(w, a.Credentials))
}

// stateDirOf is where svcpay dev keeps its state by default.
func stateDirOf(w *world) string { return localpg.DefaultDir(os.Geteuid() == 0, lookup(w.env, "HOME")) }

// credentialsPath is the file that svcpay dev wrote: the given one, that of the settings, or the one in the state
// directory.
func credentialsPath(w *world, given string) string {
	return cmp.Or(given, lookup(w.env, credentialsSetting), filepath.Join(stateDirOf(w), "credentials.json"))
}

// errNoAccess is that no one said as whom to work.
var errNoAccess = errors.New("there is no svcpay dev here")

// demo takes what svcpay dev wrote.
func (p *partner) demo(file string) error {
	c, err := demo.Read(file)
	if err != nil {
		return err
	}
	if c.SecretKey == "" {
		return fmt.Errorf("%w (%s): start it, or give --base-url, --app-id and --api-key", errNoAccess, file)
	}
	p.url, p.app, p.key, p.merchant, p.stateDir = c.BaseURL, c.AppID, c.SecretKey, c.Merchants.US, filepath.Dir(file)
	return nil
}

// environment is that of the key; "" if its text does not say.
func (p *partner) environment() string {
	for _, e := range []apikey.Environment{apikey.Sandbox, apikey.Production} {
		if strings.Contains(p.key, "_"+string(e)+"_") {
			return string(e)
		}
	}
	return ""
}

// said is an error in words for people; of one of the API it has every mistake.
func said(err error) string {
	text := strings.TrimPrefix(err.Error(), "svcpay: ")
	if e, ok := errors.AsType[*client.Error](err); ok {
		for _, f := range e.Errors {
			text += fmt.Sprintf("\n  %s: %s", f.Param, f.Message)
		}
	}
	return text
}

// document is a file that a flag or argument names; - is standard input.
type document struct{ text []byte }

// Decode implements kong.MapperValue.
func (d *document) Decode(c *kong.DecodeContext) (err error) {
	var path string
	if err := c.Scan.PopValueInto("file", &path); err != nil {
		return err
	}
	if path == "-" {
		path = "/dev/stdin"
	}
	d.text, err = os.ReadFile(path)
	if d.text == nil {
		d.text = []byte{} // that it is empty, not that there is none
	}
	return err
}

// final reports whether a request that failed so will always do.
func final(err error) bool {
	e, ok := errors.AsType[*client.Error](err)
	return ok && e.StatusCode >= 400 && e.StatusCode < 500 && e.StatusCode != 409 && e.StatusCode != 429
}
