import KingfisherTestSupport
import Testing

@testable import KingfisherService

/// The table of options, which the reader, the help and the documentation share.
struct OptionTableTests {
    @Test func `Names are unique and in the order of canonical paths`() {
        #expect(
            ServiceOptionDefinition.all.map(\.name) == [
                "quality", "lossless", "effort", "colors", "progressive", "chroma", "maximumBytes", "format",
                "preset", "fallback", "tag", "version", "expires", "maximumAge", "frames", "metadata",
                "filename",
                "attachment", "hints", "blurhash", "thumbhash",
            ])
    }

    @Test(arguments: ServiceOptionDefinition.all.map(\.name))
    func `An example can be read`(_ name: String) throws {
        let definition = try #require(ServiceOptionDefinition.named(name))
        let kind = definition.kind == .information ? "/info" : ""
        let path = "\(kind)/S/\(definition.example)/plain/H/a.jpg"
        let request = try NativeFixture().read(path, now: 0)
        #expect(request != ServiceRequest(kind: request.kind, source: request.source))
        #expect(definition.example.hasPrefix(name))
    }

    @Test func `The page has the table`() throws {
        let page = try RepositoryPage.text(
            "Sources/Core/KingfisherService/KingfisherService.docc/KingfisherService.md")
        #expect(page.contains("### Options\n\n" + ServiceOptionDefinition.markdownTable()))
    }

    @Test func `The Markdown table has a row of four cells for each option`() {
        let lines = ServiceOptionDefinition.markdownTable().split(separator: "\n")
        #expect(lines.count == ServiceOptionDefinition.all.count + 2)
        #expect(lines.first == "| option | meaning | default | example |")
        for line in lines {
            #expect(line.replacing("\\|", with: "").filter { $0 == "|" }.count == 5)
        }
        #expect(
            lines.contains(
                """
                | `frames:first\\|all` | The frames of an animation that the result has. | `frames` of the \
                configuration | `frames:all` |
                """))
    }

    @Test(arguments: [40, 80, 120])
    func `The help has all usages in lines of a width`(_ width: Int) {
        let help = ServiceOptionDefinition.helpText(width: width)
        for definition in ServiceOptionDefinition.all {
            #expect(help.contains("  \(definition.usage)\n"))
        }
        #expect(help.split(separator: "\n").allSatisfy { $0.count <= width })
    }
}
