import Foundation
import KingfisherImage
import KingfisherTestSupport
import Testing

@Suite struct BundleImageTests {
    @Test("An image is found in the resources of a bundle, with or without its extension")
    func named() throws {
        let folder = TestFolders.unused()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Fixtures.data(named: "PNG/rgb8.png").write(to: folder.appending(path: "badge.png"))
        let bundle = try #require(Bundle(url: folder))
        for name in ["badge", "badge.png"] {
            #expect(Image(named: name, in: bundle)?.size == CGSize(width: 33, height: 21))
        }
        #expect(Image(named: "nothing", in: bundle) == nil && Image(named: "badge", in: nil) == nil)
    }
}
