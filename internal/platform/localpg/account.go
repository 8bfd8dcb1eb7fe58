package localpg

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// account is the user that the server runs as.
type account struct {
	uid, gid uint32
	drop     bool // we are root and the server must not be
}

// accountFor chooses the account: the owner of existing data, else ourselves
// or, for root, postgres or no one.
func accountFor(data string, root bool) (account, error) {
	info, err := os.Stat(data)
	switch {
	case err == nil:
		return ownerOf(info, data, root)
	case !errors.Is(err, fs.ErrNotExist):
		return account{}, err
	case !root:
		return account{uid: uint32(os.Geteuid()), gid: uint32(os.Getegid())}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			return parseAccount(u)
		}
	}
	return account{}, errors.New("PostgreSQL refuses to run as root, and there is no user postgres/nobody for it")
}

func ownerOf(info fs.FileInfo, data string, root bool) (account, error) {
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return account{}, fmt.Errorf("%s: its owner cannot be read", data)
	case root && st.Uid == 0:
		return account{},
			fmt.Errorf("%s belongs to root, and PostgreSQL refuses to run as root: give it to another user (chown -R)",
				data)
	case !root && st.Uid != uint32(os.Geteuid()):
		return account{},
			fmt.Errorf("%s belongs to another user (id %d): run as that user, or choose another state directory",
				data, st.Uid)
	}
	return account{uid: st.Uid, gid: st.Gid, drop: root}, nil
}

func parseAccount(u *user.User) (account, error) {
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return account{}, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	return account{uid: uint32(uid), gid: uint32(gid), drop: true}, err
}

// attributes make a child run as the account, in a process group of its own
// (Ctrl-C is ours to handle), and get signal when we die.
func (a account) attributes(signal syscall.Signal) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: signal}
	if a.drop {
		attr.Credential = &syscall.Credential{Uid: a.uid, Gid: a.gid}
	}
	return attr
}

// canReach reports whether the account can pass through dir and all its parents.
// Without this check the server's own message would name the wrong thing.
func (a account) canReach(dir string) error {
	for {
		info, err := os.Stat(dir)
		if err != nil {
			return err
		}
		if !a.passes(info) {
			return fmt.Errorf("the user of the server (id %d) may not enter %s: chmod a+x it, or choose another place",
				a.uid, dir)
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
		dir = filepath.Dir(dir)
	}
}

func (a account) passes(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	mode := info.Mode().Perm()
	switch {
	case a.uid == 0:
		return true
	case st.Uid == a.uid:
		return mode&0o100 != 0
	case st.Gid == a.gid:
		return mode&0o010 != 0
	}
	return mode&0o001 != 0
}
