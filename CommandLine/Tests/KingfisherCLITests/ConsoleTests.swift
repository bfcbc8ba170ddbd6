import Foundation
import Testing

@testable import KingfisherCLI

@Suite("Console output")
struct ConsoleTests {
    @Test("A JSON line keeps its order and can be parsed with any text")
    func json() throws {
        let text = "a\"b\\c\n\u{1}\u{7F}é/\u{2028}\u{1F426}"
        let line = JSONLine([
            "z": .text(text), "a": .whole(-3), "t": .tenths(1.25), "f": .truth(false), "n": .null,
        ])
        #expect(line.description.hasPrefix(#"{"z":"a\"b\\c\n\u0001"#))
        #expect(line.description.hasSuffix(#","a":-3,"t":1.3,"f":false,"n":null}"#))
        #expect(!line.description.contains("\n"))
        let parsed = try JSONSerialization.jsonObject(with: Data(line.description.utf8)) as? [String: Any]
        #expect(parsed?["z"] as? String == text)
        #expect(parsed?["n"] is NSNull)
    }

    @Test("The progress bar counts finished sources and received bytes")
    func progress() {
        var bar = ProgressBar(total: 4)
        #expect(bar.fraction == 0)
        bar.update(0, received: 50, expected: 100)
        bar.update(1, received: 10, expected: 0)
        #expect(bar.fraction == 0.125)
        bar.finish(0)
        #expect(bar.fraction == 0.25)
        bar.update(2, received: 900, expected: 100)
        #expect(bar.fraction == 0.5)
        for source in 1...3 { bar.finish(source) }
        #expect(bar.fraction == 1)
    }

    @Test("The progress bar fits every terminal width", arguments: [0, 5, 20, 30, 80, 500])
    func width(columns: Int) {
        var bar = ProgressBar(total: 2)
        bar.finish(0)
        let line = bar.line(columns: columns)
        #expect(line.count <= max(0, columns - 1) || line.isEmpty)
        if columns >= 30 { #expect(line.contains("#") && line.contains("50 %  1 of 2")) }
    }

    @Test("A source in a message is truncated and escaped")
    func message() {
        #expect("a\u{1B}[31mb\n".forMessages == #"a\u001B[31mb\u000A"#)
        #expect(("data:," + String(repeating: "x", count: 9_000)).forMessages.count == 121)
    }
}
