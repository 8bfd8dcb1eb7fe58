// Package portal serves the portal over HTTP: its rooms turn forms into calls of use-cases and their results into pages
// of package views. Every page works without JavaScript. This package has the table of routes and puts the rooms
// together; what they share is in package web.
package portal
