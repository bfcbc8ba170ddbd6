import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// Images in `data:` URLs, with the results of the Fetch Standard's "data: URL processor".
@Suite struct DataURLTests {
    @Test(
        "The bytes are those of browsers",
        arguments: [
            ("data:image/png;base64,AAEC/w==", [0, 1, 2, 255]), ("DATA:;BASE64,AAEC/w", [0, 1, 2, 255]),
            ("data:image/png; base64,AAEC/w==", [0, 1, 2, 255]), ("data:;  base64,AA", [0]),
            ("data:;base64,AAEC%2Fw%3D%3D", [0, 1, 2, 255]),
            ("data:;base64,A A\tE\nC%0C%20/w = =", [0, 1, 2, 255]),
            ("data:;base64,AAEC/w==#fragment", [0, 1, 2, 255]), ("data:;base64,AB==", [0]),
            ("data:;base64,", []), ("data:,", []), ("data:,%00a%ff,", [0, 0x61, 0xFF, 0x2C]),
            ("data:,%", [0x25]), ("data:,%4", [0x25, 0x34]), ("data:,%zz%41", [0x25, 0x7A, 0x7A, 0x41]),
            ("data:,a b#c", [0x61, 0x20, 0x62]), ("data:,ä", [0xC3, 0xA4]),
            ("data:text/plain,base64", Array("base64".utf8)), ("data:base64,AA", Array("AA".utf8)),
            ("data:;base64;x,AA", Array("AA".utf8)), ("data:;base64 ,AA", [0]),
        ] as [(String, [UInt8])])
    func bytes(_ text: String, _ bytes: [UInt8]) throws {
        #expect(try DataURLImageDataProvider(text).decoded() == Data(bytes))
    }

    @Test(
        "A text without comma or with malformed base64 is refused",
        arguments: [
            "", "data", "data:", "data:image/png;base64", "data:#,a", "http://a.test/,a", "data:;base64,A",
            "data:;base64,AAEC*w==", "data:;base64,AA=", "data:;base64,AA=A", "data:;base64,A===",
            "data:;base64,-_8=",
        ])
    func malformed(_ text: String) async {
        #expect(throws: CocoaError.self) { try DataURLImageDataProvider(text).decoded() }
        await #expect(throws: CocoaError.self) { try await DataURLImageDataProvider(text).data() }
    }

    private func url(ofBytes count: Int) throws -> URL {
        try #require(URL(string: "data:," + String(repeating: "x", count: count - 6)))
    }

    @Test("The key is the text up to 1 KiB, otherwise data: and the SHA-256 digest")
    func keys() throws {
        let short = try url(ofBytes: 1024)
        #expect(short.cacheKey == short.absoluteString)
        // printf 'data:,%01019d' 0 | tr 0 x | sha256sum
        let long = try url(ofBytes: 1025)
        #expect(long.cacheKey == "data:0c0c34a92ef483e25f80ff022fa0985c909e1972293b17e2d97cd6d15b36d58e")
        for source in [long.convertToSource(), KF.ImageResource(downloadURL: long).convertToSource()] {
            #expect(source.cacheKey == long.cacheKey && source.url == nil)
            guard case .provider(let provider as DataURLImageDataProvider) = source else {
                Issue.record("\(source)")
                continue
            }
            #expect(provider.text == long.absoluteString)
        }
        #expect(long.convertToSource(overrideCacheKey: "other").cacheKey == "other")
        #expect(DataURLImageDataProvider("data:,x", cacheKey: "own").cacheKey == "own")
    }

    @Test("A data URL loads without a request, and is found in the caches by its key")
    func loads() async throws {
        let bench = try AbsenceRig()
        let url = try #require(URL(string: "data:image/png;base64,\(TestImages.png.base64EncodedString())"))
        let first = try await bench.manager.retrieveImage(with: url, options: [.waitForCache])
        #expect(first.image.size == TestImages.pngSize && first.cacheType == .none)
        #expect(bench.cache.isCached(forKey: url.cacheKey))
        #expect(try await bench.manager.retrieveImage(with: url).cacheType == .memory)
        #expect(bench.stub.requests.isEmpty)
    }

    @Test("The image of a data URL has at most the bytes of a body, unless the program made the provider")
    func maxBodyBytes() async throws {
        let bench = try AbsenceRig()
        let png = try TestImages.png
        let url = try #require(URL(string: "data:image/png;base64,\(png.base64EncodedString())"))
        bench.manager.downloader.maxBodyBytes = png.count - 1
        let error = await #expect(throws: KingfisherError.self) {
            try await bench.manager.retrieveImage(with: url)
        }
        guard case .imageSettingError(.dataProviderError(_, TransportError.bodyTooLarge))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let own = Source.provider(DataURLImageDataProvider(url: url))
        #expect(try await bench.manager.retrieveImage(with: own).image.size == TestImages.pngSize)
        bench.manager.downloader.maxBodyBytes = png.count
        #expect(try await bench.manager.retrieveImage(with: url).image.size == TestImages.pngSize)
    }
}
