import Foundation
import Testing

@testable import KingfisherService

/// The pages for users of other services, against the tables.
struct MigrationPageTests {
    /// The texts in code of a page, such as `rs`.
    private func code(_ page: String) throws -> Set<String> {
        let file = URL(filePath: #filePath).appending(path: "../../../../Service/docs/\(page)").standardized
        let text = try String(contentsOf: file, encoding: .utf8)
        return Set(text.matches(of: /`([^`]+)`/).map { String($0.1) })
    }

    @Test func `The page about imgproxy has all names of its options`() throws {
        let names = try code("from-imgproxy.md")
        for name in ImgproxyOption.all.flatMap(\.names) { #expect(names.contains(name)) }
    }

    @Test func `The page about thumbor has all filters`() throws {
        let names = try code("from-thumbor.md")
        for filter in ThumborFilter.all { #expect(names.contains(filter.name)) }
    }
}
