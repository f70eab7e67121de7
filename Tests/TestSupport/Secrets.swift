/// A secret that is long enough for HS256.
package let goodSecret = "0123456789abcdef0123456789abcdef"
