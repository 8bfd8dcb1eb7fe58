// Package portal serves the portal over HTTP: it turns forms into calls of use-cases and their results into pages of package
// views. Every page works without JavaScript. The handlers are made by the adapter, package web.
package portal
