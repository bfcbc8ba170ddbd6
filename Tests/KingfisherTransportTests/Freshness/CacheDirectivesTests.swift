import Testing

@testable import KingfisherTransport

/// RFC 9111, 5.2.
@Suite struct CacheDirectivesTests {
    private struct Row: Sendable, CustomTestStringConvertible {
        let field: String
        var maxAge: UInt32?
        var whileRevalidate: UInt32?
        var ifError: UInt32?
        var flags = ""

        var testDescription: String { String(field.prefix(60)) }
    }

    private static let rows = [
        Row(field: ""),
        Row(field: "max-age=60", maxAge: 60),
        Row(field: "Max-Age=60, NO-STORE", maxAge: 60, flags: "s"),
        Row(field: "max-age=\"60\"", maxAge: 60),
        Row(field: "max-age=\"6\\0\"", maxAge: 60),
        Row(field: " max-age = 60 ,no-cache", maxAge: 60, flags: "c"),
        Row(field: ",, ,max-age=1,,", maxAge: 1),
        // 4.2.1: the first of several counts.
        Row(field: "max-age=1, max-age=2", maxAge: 1),
        Row(field: "max-age=x, max-age=2", maxAge: 0),
        // 4.2.1: invalid values count as stale.
        Row(field: "max-age=-1", maxAge: 0), Row(field: "max-age=+1", maxAge: 0),
        Row(field: "max-age=1.5", maxAge: 0), Row(field: "max-age", maxAge: 0),
        Row(field: "max-age=", maxAge: 0), Row(field: "max-age=\"60", maxAge: 0),
        // 1.2.2: values that do not fit are 2^31.
        Row(field: "max-age=2147483648", maxAge: 1 << 31), Row(field: "max-age=4294967296", maxAge: 1 << 31),
        Row(field: "max-age=99999999999999999999999999", maxAge: 1 << 31),
        Row(field: "max-age=0000000000000000000000001", maxAge: 1),
        // 5.2.2.4: a directive with a list of fields applies to all fields.
        Row(field: "no-cache=\"Set-Cookie, max-age=9\"", flags: "c"),
        Row(field: "private=\"a, no-store\", must-revalidate", flags: "m"),
        Row(field: "extension=\"\\\", no-store\", no-cache", flags: "c"),
        // Directives for shared caches, and unknown ones.
        Row(field: "public, s-maxage=9, proxy-revalidate, immutable, no-transform, must-understand, x-y=z"),
        Row(field: "no-stores, xno-cache, no cache, no-store-, (no-store)"),
        // RFC 5861.
        Row(field: "stale-while-revalidate=30, stale-if-error=86400", whileRevalidate: 30, ifError: 86_400),
        Row(field: "stale-while-revalidate, stale-if-error=x"),
        Row(field: "no-store, no-cache, must-revalidate", flags: "scm"),
    ]

    @Test("private is read for shared caches, also if it names fields")
    func isPrivate() {
        for field in ["private", "max-age=1 , PRIVATE", "private=\"a, b\"", "x=\"y\",private"] {
            #expect(CacheDirectives.isPrivate(field), "\(field)")
        }
        for field in ["", "public", "no-cache=\"private\"", "privately", "x-private", "max-age=private"] {
            #expect(!CacheDirectives.isPrivate(field), "\(field)")
        }
    }

    @Test("Directives for a private cache are read (RFC 9111, 5.2)", arguments: rows)
    private func read(row: Row) {
        let read = CacheDirectives(row.field)
        #expect(read.maxAge == row.maxAge)
        #expect(read.staleWhileRevalidate == row.whileRevalidate)
        #expect(read.staleIfError == row.ifError)
        #expect(
            "\(read.noStore ? "s" : "")\(read.noCache ? "c" : "")\(read.mustRevalidate ? "m" : "")"
                == row.flags)
    }
}
