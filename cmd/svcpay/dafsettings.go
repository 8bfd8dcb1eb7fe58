package main

import (
	"svcpay/internal/apikey"
	"svcpay/internal/daf/provider/chariot"
)

// The settings of the provider of donor-advised funds.
const (
	dafProviderSetting = "SVCPAY_DAF_PROVIDER"
	dafURLSetting      = "SVCPAY_DAF_URL"
	chariotAPISetting  = "SVCPAY_CHARIOT_API"
)

// keyFileSetting names the file with the keys that open what the database has sealed.
const keyFileSetting = "SVCPAY_VAULT_KEY_FILE"

// dafSettings are the settings of the provider of donor-advised funds.
type dafSettings struct {
	provider   string // "" for the default of the environment
	url        string // the origin of the pages on which donors visit their fund
	chariotAPI string // where a sandbox reaches Chariot's API; "" for Chariot's own address
}

func dafSettingList() []setting {
	return []setting{
		{dafProviderSetting,
			"provider of donor-advised funds: sandbox or chariot; use the same value on all servers; " +
				"production always uses chariot (default sandbox in a sandbox)", "", false, setDAFProvider},
		{dafURLSetting, "where donors visit their fund at Chariot, e.g. https://giving.example.org; a third host, " +
			"for these pages only", "", false,
			func(c *config, v string) (err error) { c.daf.url, err = origin(v); return err }},
		{chariotAPISetting, "loopback address at which a sandbox reaches Chariot's API, e.g. http://127.0.0.1:12112; " +
			"without one it is Chariot's own", "", false, setChariotAPI},
	}
}

func setDAFProvider(c *config, v string) (err error) {
	c.daf.provider, err = choice(v, sandboxName, chariot.Name)
	return err
}

func setChariotAPI(c *config, v string) (err error) {
	c.daf.chariotAPI, err = localOrigin(v, "the API key is sent there")
	return err
}

// onChariot reports whether donors' grants go to Chariot.
func (c config) onChariot() bool {
	return c.environment == apikey.Production || c.daf.provider == chariot.Name
}

// checkDAF are the mistakes in how the settings of the provider fit the others.
func (c config) checkDAF() []error {
	live := c.environment == apikey.Production
	return mistakes(
		mistake{live && c.daf.provider == sandboxName, dafProviderSetting,
			"the sandbox's provider moves no money; unset this setting in production"},
		mistake{live && c.daf.chariotAPI != "", chariotAPISetting,
			"production reaches Chariot at its own address; unset this setting"},
		mistake{c.daf.chariotAPI != "" && !c.onChariot(), chariotAPISetting,
			"set " + dafProviderSetting + "=chariot, too"},
		mistake{live && inClear(c.daf.url), dafURLSetting, onlyByHTTPS},
		mistake{sameHost(c.daf.url, c.baseURL) || sameHost(c.daf.url, c.payURL), dafURLSetting,
			"must be on another host than SVCPAY_BASE_URL and SVCPAY_PAY_URL: a host's ports share their cookies"},
	)
}
