package netguard

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"
)

// racer is a dialer to three public addresses of one name.
func racer(dial func(ctx context.Context, network, address string) (net.Conn, error)) dialer {
	return dialer{options: Options{Dial: dial, Resolve: func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("2606:4700::1"), netip.MustParseAddr("93.184.216.34"), netip.MustParseAddr("93.184.216.35")}, nil
	}}}
}

// An address that does not answer costs a moment; its late connection is closed.
func TestSlowAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late, end := net.Pipe()
		begun := time.Now()
		conn, err := racer(func(_ context.Context, _, address string) (net.Conn, error) {
			if address == "[2606:4700::1]:443" {
				time.Sleep(time.Minute) // a network that does not even listen to cancelling
				return late, nil
			}
			here, _ := net.Pipe()
			return here, nil
		}).connect(t.Context(), "tcp", "llm.example:443")
		if err != nil || time.Since(begun) != 250*time.Millisecond {
			t.Fatal(err, time.Since(begun))
		}
		_ = conn.Close()
		time.Sleep(2 * time.Minute)
		if _, err := end.Read(make([]byte, 1)); err == nil {
			t.Error("the late connection is open")
		}
	})
}

// What fails at once is no reason to wait, and the first failure is the one to tell.
func TestFailingAddresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		said := map[string]error{"[2606:4700::1]:443": errors.New("no route"), "93.184.216.34:443": errNobody, "93.184.216.35:443": errNobody}
		_, err := racer(func(_ context.Context, _, address string) (net.Conn, error) { return nil, said[address] }).
			connect(t.Context(), "tcp", "llm.example:443")
		if err == nil || err.Error() != "no route" || time.Since(begun) != 0 {
			t.Error(err, time.Since(begun))
		}
	})
}

// Connecting ends after 10 s, whatever hangs.
func TestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		_, err := racer(func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}).connect(t.Context(), "tcp", "llm.example:443")
		var n net.Error
		if !errors.As(err, &n) || !n.Timeout() || time.Since(begun) != 10*time.Second {
			t.Error(err, time.Since(begun))
		}
	})
}
