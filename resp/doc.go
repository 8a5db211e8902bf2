// Package resp answers the Redis protocol, in its versions 2 and 3, on the tables of a store.
//
// What comes in is read by reader, looked up in the command table, and run by the handler that stands there. Handlers of
// commands that touch keys run inside a transaction of the store, alone or with the others of a MULTI, and may run again; so they
// have no effect but through the transaction and the client's reply. Nothing that a client sends is ever stored as something
// that PHP unserializes.
package resp
