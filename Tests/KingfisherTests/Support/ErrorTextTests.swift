import Foundation
import Kingfisher
import KingfisherTestSupport
import KingfisherTransport
import Synchronization
import TestHelpers
import Testing

/// Error descriptions name the operation, the cause and a remedy.
@Suite struct ErrorTextTests {
    private let secret = "http://ada:pw@stub.invalid/photo.jpg?sig=abc#part"
    private let name = "http://stub.invalid/photo.jpg"

    @Test("An undecodable image reports its size and the cause")
    func processing() async throws {
        let jpeg = try TestImages.jpeg
        let half = jpeg.prefix(jpeg.count / 2)
        let table: [(Data, String)] = [
            (Data(), "0 bytes: the body is empty."),
            (half, "\(half.count) bytes: the JPEG is truncated."),
            (
                Data("<html>no".utf8),
                #"8 bytes: HTML, not an image; it begins with "<html>no"."#
            ),
            (try TestImages.png, "\(try TestImages.png.count) bytes (PNG), which can be decoded."),
        ]
        for (data, words) in table {
            let error = KingfisherError.processorError(
                reason: .processingFailed(processor: DefaultImageProcessor.default, item: .data(data)))
            #expect(error.errorDescription == "DefaultImageProcessor returned no image for \(words)")
            #expect((error as any Error).localizedDescription == error.errorDescription)
        }
        // A request reports the same cause.
        let failure = try await Bench(serving: half).retrieve().failure
        #expect(failure?.localizedDescription.contains("the JPEG is truncated") == true)
    }

    @Test("The cause is determined only when the description is read")
    func laziness() async throws {
        let codec = DecodeCounter()
        ImageCodecs.register(codec)
        defer { ImageCodecs.unregister(codec.format) }
        let bench = try Bench(serving: Data("KFTEXTS an image".utf8))
        let error = try #require(try await bench.retrieve().failure)
        #expect(codec.decodes == 1, "decoded by the request")
        #expect(error.errorCode == 4001 && error.reasonName == "processingFailed")
        #expect(codec.decodes == 1)
        #expect(error.errorDescription?.hasSuffix("the TEXTS is truncated.") == true)
        #expect(codec.decodes == 2)
    }

    @Test("A transfer error and its URLError contain the redacted URL")
    func transfer() async throws {
        let bench = try Bench { _ in .failure(.connect("connection refused")) }
        let url = try #require(URL(string: secret))
        let error = try #require(try await bench.retrieve(url).failure)
        #expect(error.errorDescription == "The transfer failed: \(name): no connection: connection refused")
        guard case .responseError(.URLSessionError(let cause as URLError)) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(cause.failingURL == URL(string: name))
        #expect(cause.localizedDescription == "no connection: connection refused")
        #expect("\(cause)".contains(name) && !"\(error) \(cause)".contains("abc"))
    }

    @Test("All descriptions with a URL redact its secrets")
    func secrets() throws {
        let url = try #require(URL(string: secret))
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 404, httpVersion: nil, headerFields: nil))
        let bench = try Bench()
        bench.stub.hold()
        let download = bench.downloader.downloadImage(with: url)
        let task = try #require(download.sessionTask)
        bench.stub.release()
        let source = Source.network(KF.ImageResource(downloadURL: url, cacheKey: "own"))
        let errors: [KingfisherError] = [
            .requestError(reason: .invalidURL(request: URLRequest(url: url))),
            .requestError(reason: .taskCancelled(task: task, token: 1)),
            .responseError(reason: .invalidURLResponse(response: response)),
            .responseError(reason: .invalidHTTPStatusCode(response: response)),
            .responseError(reason: .dataModifyingFailed(task: task)),
            .responseError(reason: .noURLResponse(task: task)),
            .responseError(reason: .cancelledByDelegate(response: response)),
            .imageSettingError(reason: .notCurrentSourceTask(result: nil, error: nil, source: source)),
        ]
        for error in errors {
            let text = try #require(error.errorDescription)
            #expect(text.contains(name))
            for word in ["ada", "pw", "sig", "abc", "part"] { #expect(!text.contains(word), "\(text)") }
        }
        let inline = try #require(URL(string: "data:image/png;base64," + String(repeating: "A", count: 9000)))
        let text = KingfisherError.requestError(reason: .invalidURL(request: URLRequest(url: inline)))
            .errorDescription
        #expect((text?.count ?? .max) < 400)
    }

    @Test("A file URL in a download is refused with a hint to the file provider")
    func fileURL() async throws {
        let error = await #expect(throws: KingfisherError.self) {
            try await ImageDownloader(name: "files").downloadImage(with: URL(filePath: "/tmp/a b.jpg"))
        }
        #expect(
            error?.errorDescription
                == "The transfer failed: file:///tmp/a%20b.jpg: the request cannot be sent: the URL is not an http"
                + " or https URL; .provider(LocalFileImageDataProvider(fileURL:)) reads files")
    }

    @Test("An unreadable file is reported with its path and the system error")
    func missingFile() async throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "no such.jpg").path(percentEncoded: false)
        let bench = try Bench()
        for (path, reason) in [(path, "No such file or directory"), ("/dev/null/x", "Not a directory")] {
            let answer = try await outcome { done in
                bench.manager.retrieveImage(with: URL(filePath: path), completionHandler: done)
            }
            #expect(answer.failure?.errorDescription == "\(path) cannot be read: \(reason)")
        }
        let error = KingfisherError.imageSettingError(
            reason: .dataProviderError(
                provider: RawImageDataProvider(data: Data(), cacheKey: "http://ada:pw@key"),
                error: CocoaError(.fileNoSuchFile)))
        #expect(error.errorDescription?.hasPrefix(#"The provider of "http://key" failed: "#) == true)
    }

    @Test("A refused connection names the address policy or the TLS trust")
    func refusals() async throws {
        let downloader = ImageDownloader(name: "refusals")
        downloader.addressPolicy = .publicOnly
        let refused = await #expect(throws: KingfisherError.self) {
            try await downloader.downloadImage(with: #require(URL(string: "http://127.0.0.1:1/a.jpg")))
        }
        #expect(
            refused?.errorDescription
                == "The transfer failed: http://127.0.0.1:1/a.jpg: address refused:"
                + " ImageDownloader.addressPolicy allows no address of 127.0.0.1")

        downloader.addressPolicy = .any
        let authority = try Fixtures.data(named: "TLS/authority.pem")
        downloader.tlsConfiguration.certificateAuthorities = [authority]
        for (certificate, words) in [
            ("self-signed", ["127.0.0.1: ", "TLSConfiguration.certificateAuthorities", "trustedHosts"]),
            ("expired", ["127.0.0.1: ", "TLSConfiguration.trustedHosts"]),
        ] {
            let server = try LoopbackServer(tls: ServerTLS(certificate)) { _ in .ok(Data()) }
            defer { server.stop() }
            let error = await #expect(throws: KingfisherError.self) {
                try await downloader.downloadImage(with: server.url())
            }
            let text = try #require(error?.errorDescription)
            let detail = try #require(text.components(separatedBy: "is not trusted: ").last)
            for word in words { #expect(detail.contains(word), "\(text)") }
        }
    }
}

/// A format whose files are always truncated. Counts decoding attempts.
private final class DecodeCounter: ImageCodec {
    let format = ImageFormat(name: "TEXTS")
    private let count = Mutex(0)

    var decodes: Int { count.withLock { $0 } }

    func matches(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.starts(with: "KFTEXTS".utf8) }

    func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
        TestDecoder(2, 2) { _ throws(ImageCodecError) in
            self.count.withLock { $0 += 1 }
            throw .truncated
        }
    }
}
