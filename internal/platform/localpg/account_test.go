package localpg

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func TestServerIsNeverRoot(t *testing.T) {
	t.Parallel()
	as, err := accountFor(filepath.Join(t.TempDir(), "none"), true)
	if err != nil {
		t.Fatal(err)
	}
	if as.uid == 0 || as.gid == 0 || !as.drop {
		t.Errorf("account is %+v", as)
	}
	if c := as.attributes(syscall.SIGINT).Credential; c == nil || c.Uid != as.uid {
		t.Errorf("credential is %+v", c)
	}
}

func TestOwnerOfDataDecides(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	as, err := accountFor(data, false)
	if err != nil || as.uid != uint32(os.Geteuid()) || as.drop {
		t.Errorf("account is %+v, %v", as, err)
	}
	if os.Geteuid() != 0 {
		_, err := accountFor("/proc/1", false)
		wantError(t, err, "another user")
		return
	}
	_, err = accountFor(data, true)
	wantError(t, err, "belongs to root", data)
	if err := os.Chown(data, 1234, 4321); err != nil {
		t.Fatal(err)
	}
	if as, err = accountFor(data, true); err != nil || as != (account{uid: 1234, gid: 4321, drop: true}) {
		t.Errorf("account is %+v, %v", as, err)
	}
	_, err = accountFor(data, false)
	wantError(t, err, "another user", "1234")
}

func TestClosedParentIsNamed(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	dir := filepath.Join(parent, "closed", "state")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	closed := filepath.Dir(dir)
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	stranger := account{uid: 54321, gid: 54321}
	wantError(t, stranger.canReach(dir), "54321", "may not enter "+closed)
	if err := (account{uid: uint32(os.Geteuid())}).canReach(dir); err != nil {
		t.Error(err)
	}
}

// TestStateDirIgnoresUmask is not parallel: the umask is the whole process's.
func TestStateDirIgnoresUmask(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o077))
	parent := t.TempDir()
	for root, want := range map[bool]os.FileMode{true: 0o711, false: 0o700} {
		dir, err := createDir(filepath.Join(parent, want.String()), root)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("mode is %v, %v; want %v", info.Mode(), err, want)
		}
	}
}

func TestStartChecksItsPlace(t *testing.T) {
	t.Parallel()
	_, err := Start(t.Context(), options(filepath.Join(stateDir(t), strings.Repeat("long", 25))))
	wantError(t, err, "characters too long")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Start(t.Context(), options(file))
	wantError(t, err, "state directory", file)
	if os.Geteuid() == 0 { // whose t.TempDir is closed to everybody else
		_, err = Start(t.Context(), options(t.TempDir()))
		wantError(t, err, "may not enter")
	}
}

func TestDefaultDir(t *testing.T) {
	t.Parallel()
	if got := DefaultDir(true, "/root"); got != "/var/lib/svcpay" {
		t.Errorf("root's directory is %s", got)
	}
	if got := DefaultDir(false, "/home/dana"); got != "/home/dana/.local/state/svcpay" {
		t.Errorf("the user's directory is %s", got)
	}
}

// TestAsOrdinaryUser runs the main tests again without privileges, if there
// are any to lose.
func TestAsOrdinaryUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		return // all the other tests do just this
	}
	programs, err := Find(t.Context(), "", "", true)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(copyOfThisTest(t), "-test.v",
		"-test.run=^(TestStartKeepsData|TestKilledOwnerTakesServerAlong|TestSecondProcessAdopts)$")
	cmd.Dir, cmd.Env = "/", []string{"PATH=/usr/bin:/bin", "TMPDIR=" + os.TempDir(), binVariable + "=" + programs.Dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534},
		Pdeathsig: syscall.SIGKILL}
	runtime.LockOSThread() // Pdeathsig is sent when the thread ends that started the process, not the program
	defer runtime.UnlockOSThread()
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "\n--- PASS") != 3 {
		t.Errorf("%v\n%s", err, out)
	}
}

// copyOfThisTest is one that other users may run. The copy is made by another
// process: a file that we had open for writing while a parallel test forks
// could not be run.
func copyOfThisTest(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := stateDir(t)
	if out, err := exec.Command("install", "-m", "755", self, path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}
