package resp

import (
	"crypto/sha256"
	"crypto/subtle"
)

// User is someone who may use the server.
type User struct {
	// Name is what AUTH is given. The user "default" is also the one of AUTH with a password alone.
	Name string
	// Password is needed unless it is empty.
	Password string
	// ReadOnly users run no command that changes anything.
	ReadOnly bool
	// Keys are patterns, as KEYS takes them, of the keys that the user may touch; none for all keys.
	Keys []string
}

// DefaultUser is the user of a connection that names none.
const DefaultUser = "default"

// is says whether a password is the user's, in a time that does not tell how much of it is right.
func (u *User) is(password []byte) bool {
	have, want := sha256.Sum256(password), sha256.Sum256([]byte(u.Password))
	return u.Password == "" || subtle.ConstantTimeCompare(have[:], want[:]) == 1
}

// mayTouch says whether the user may touch a key.
func (u *User) mayTouch(key string) bool {
	if len(u.Keys) == 0 {
		return true
	}
	for _, pattern := range u.Keys {
		if matches(pattern, key) {
			return true
		}
	}
	return false
}

// refusal is why the user may not run a command with these arguments; "" when he may.
func (u *User) refusal(cmd *command, args [][]byte) string {
	if u.ReadOnly && cmd.flags&(flagWrite|flagAdmin) != 0 || len(u.Keys) > 0 && cmd.flags&flagAllKeys != 0 {
		return "NOPERM User " + u.Name + " has no permissions to run the '" + cmd.full + "' command"
	}
	if len(u.Keys) == 0 {
		return ""
	}
	refused := ""
	cmd.eachKey(args, func(i int) {
		if !u.mayTouch(string(args[i])) {
			refused = "NOPERM No permissions to access a key"
		}
	})
	return refused
}
