package main

import (
	"cmp"
	"fmt"
	"os"
	"os/user"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
)

// operator is the person who runs a command at the deployment's machine, for one application or for none. All commands
// act as this actor, so each of their audit entries says who ran it, and where.
func operator(env []string, applicationID int64) authz.Actor {
	return authz.Actor{Role: authz.RoleSystemAdmin, ApplicationID: applicationID,
		RequestID: ids.NewRequest(machineTime()), Operator: operatorName(env)}
}

// operatorName is the login name, host and terminal of the process, such as "jane as root on pay-1 (pts/3)".
func operatorName(env []string) string {
	account := "user " + strconv.Itoa(os.Getuid())
	if u, err := user.LookupId(strconv.Itoa(os.Getuid())); err == nil {
		account = u.Username
	}
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	return operatorText(lookup(env, "SUDO_USER"), account, host, terminal("/proc/self"))
}

// operatorText names an operator who used sudo, or "", to run a command as an account.
func operatorText(sudo, account, host, terminal string) string {
	account, sudo = tidyName(account), tidyName(sudo)
	who := account
	if sudo != "" && sudo != account {
		who = sudo + " as " + account
	}
	return fmt.Sprintf("%s on %s (%s)", who, cmp.Or(tidyName(host), "an unknown host"), tidyName(terminal))
}

// longestName is how many characters of a login name, a host name or a terminal are recorded.
const longestName = 64

// tidyName makes what the machine reports fit for one line: the environment can be anything.
func tidyName(text string) string {
	runes := []rune(strings.TrimSpace(text))
	runes = runes[:min(len(runes), longestName)]
	for i, r := range runes {
		if !unicode.IsPrint(r) {
			runes[i] = '?'
		}
	}
	return string(runes)
}

var terminalFile = regexp.MustCompile(`^/dev/(pts/[0-9]+|tty[0-9A-Za-z]*|console)$`)

// terminal is the terminal of a process, by its directory in /proc: that of its standard files, or the one that
// controls it if they are redirected.
func terminal(process string) string {
	for _, file := range []string{"0", "1", "2"} {
		name, err := os.Readlink(process + "/fd/" + file)
		if found := terminalFile.FindStringSubmatch(name); err == nil && found != nil {
			return found[1]
		}
	}
	stat, err := os.ReadFile(process + "/stat")
	if err != nil {
		return "unknown terminal"
	}
	_, rest, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ")
	fields := strings.Fields(rest)
	if len(fields) < ttyField+1 {
		return "unknown terminal"
	}
	device, err := strconv.Atoi(fields[ttyField])
	if err != nil {
		return "unknown terminal"
	}
	return terminalOf(device)
}

// ttyField is the place of tty_nr in /proc/PID/stat after the name of the program; see proc_pid_stat(5).
const ttyField = 4

// terminalOf names the device of a terminal, whose number is encoded as in proc_pid_stat(5).
func terminalOf(device int) string {
	major, minor := device>>8&0xfff, device&0xff|device>>12&0xfff00
	switch {
	case device == 0:
		return "no terminal"
	case major == 136: // pseudoterminals
		return "pts/" + strconv.Itoa(minor)
	case major == 4 && minor < 64: // consoles
		return "tty" + strconv.Itoa(minor)
	case major == 4:
		return "ttyS" + strconv.Itoa(minor-64)
	}
	return fmt.Sprintf("terminal %d:%d", major, minor)
}
