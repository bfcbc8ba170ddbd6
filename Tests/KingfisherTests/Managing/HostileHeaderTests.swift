import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@Suite struct HostileHeaderTests {
    @Test("A header that declares 60,000 x 60,000 pixels is refused with less than 100 MB of memory")
    func hugeHeaders() async {
        // A separate process, as the peak of this one is higher already.
        await #expect(processExitsWith: .success) {
            let files = [try HostileFile.hugeJPEG(), try HostileFile.hugePNG()]
            let small = CGSize(width: 100, height: 100)
            let processors: [any ImageProcessor] = [
                DefaultImageProcessor.default, DownsamplingImageProcessor(size: small),
                ResizingImageProcessor(referenceSize: small),
            ]
            let folder = try TemporaryFolder()
            let manager = KingfisherManager(
                downloader: ImageDownloader(name: "unused"),
                cache: try ImageCache(name: "hostile", cacheDirectoryURL: folder.url))
            for (number, file) in files.enumerated() {
                for processor in processors {
                    let key = "\(number)-\(processor.identifier)"
                    await #expect(throws: KingfisherError.self) {
                        try await manager.retrieveImage(
                            with: .provider(RawImageDataProvider(data: file, cacheKey: key)),
                            options: [.processor(processor)])
                    }
                }
            }
            #expect(ProcessStatus.peakResidentBytes < 100 << 20 || ProcessStatus.isSanitized)
        }
    }
}
