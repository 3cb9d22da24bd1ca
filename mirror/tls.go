package mirror

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"agentstudio/engine"
)

const (
	certLife  = 90 * 24 * time.Hour
	certSpare = 24 * time.Hour // what must be left of one that is used again
)

// SelfSigned is TLS by a certificate of our own for loopback, localhost and the given addresses and
// names: ECDSA P-256, 90 days. It is kept in dir with its key (0600) and used again while it fits, so that a
// phone is asked about it once. It fails with WRITE_FAILED or STATE_UNUSABLE.
func SelfSigned(dir string, now time.Time, hosts ...string) (*tls.Config, error) {
	hosts = append([]string{"127.0.0.1", "::1", "localhost"}, hosts...)
	cert, key := filepath.Join(dir, "mirror-cert.pem"), filepath.Join(dir, "mirror-key.pem")
	if c, err := tls.LoadX509KeyPair(cert, key); err == nil && fits(c.Leaf, now, hosts) && private(key) {
		return serving(c), nil
	}
	certPEM, keyPEM, err := signed(now, hosts)
	if err != nil {
		return nil, &engine.Error{Code: engine.Internal, Message: "no certificate could be made", Err: err}
	}
	// The key last: with an old key beside it a new certificate does not load, and both are made anew.
	if err := errors.Join(keep(cert, certPEM), keep(key, keyPEM)); err != nil {
		return nil, &engine.Error{Code: engine.WriteFailed, Message: "the mirror's certificate cannot be kept in the state directory", Err: err}
	}
	c, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return nil, &engine.Error{Code: engine.Internal, Message: "no certificate could be made", Err: err}
	}
	return serving(c), nil
}

// LoadTLS is TLS by a certificate and key in PEM files (CONFIG_INVALID).
func LoadTLS(cert, key string) (*tls.Config, error) {
	c, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, &engine.Error{Code: engine.ConfigInvalid, Err: err,
			Message: "--mirror-cert and --mirror-key are not a certificate and its key in PEM"}
	}
	return serving(c), nil
}

func serving(c tls.Certificate) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{c}, MinVersion: tls.VersionTLS12}
}

// fits tells whether a certificate is good for long enough and for every host.
func fits(c *x509.Certificate, now time.Time, hosts []string) bool {
	if c == nil || now.Before(c.NotBefore) || now.Add(certSpare).After(c.NotAfter) {
		return false
	}
	return !slices.ContainsFunc(hosts, func(h string) bool { return c.VerifyHostname(h) != nil })
}

func private(path string) bool {
	i, err := os.Stat(path)
	return err == nil && (runtime.GOOS == "windows" || i.Mode().Perm()&0o077 == 0)
}

func signed(now time.Time, hosts []string) (cert, key []byte, err error) {
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 126))
	if err != nil {
		return nil, nil, err
	}
	c := x509.Certificate{SerialNumber: serial, Subject: pkix.Name{CommonName: "Agent Studio mirror"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(certLife), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, BasicConstraintsValid: true}
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			c.IPAddresses = append(c.IPAddresses, ip)
		} else {
			c.DNSNames = append(c.DNSNames, h)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, &c, &c, &k.PublicKey, k)
	if err != nil {
		return nil, nil, err
	}
	raw, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		return nil, nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}), nil
}

// keep writes a file that only this user may read, whole or not at all.
func keep(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".mirror-*") // made 0600
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
