import Foundation
import FoundationNetworking
import Kingfisher
import Testing

@testable import KingfisherService

private let url = URL(string: "https://user:secret@e.com/private/a.jpg?token=1") ?? URL(filePath: "/")
private let s3 = ServiceSource.s3(bucket: "photos", key: "private/a.jpg", versionID: nil)
private let local = ServiceSource.local(path: "private/a.jpg")

private func status(_ code: Int) -> KingfisherError {
    let response = HTTPURLResponse(url: url, statusCode: code, httpVersion: nil, headerFields: nil)
    return response.map { .responseError(reason: .invalidHTTPStatusCode(response: $0)) }
        ?? .imageSettingError(reason: .emptySource)
}

private func transfer(_ error: TransportError) -> KingfisherError {
    .responseError(reason: .URLSessionError(error: error.urlError))
}

private func cache(_ reason: KingfisherError.CacheErrorReason) -> KingfisherError {
    .cacheError(reason: reason)
}

private func resource(_ reason: KingfisherError.ResourceErrorReason) -> KingfisherError {
    .resourceError(reason: reason)
}

private func provided(_ error: any Error) -> KingfisherError {
    let provider = LocalFileImageDataProvider(fileURL: URL(filePath: "/private/a.jpg"))
    return .imageSettingError(reason: .dataProviderError(provider: provider, error: error))
}

private func exhausted(_ errors: [KingfisherError]) -> KingfisherError {
    .imageSettingError(
        reason: .alternativeSourcesExhausted(errors.map { .init(source: .network(url), error: $0) }))
}

private struct Unknown: Error {}

private let failed = CocoaError(.fileWriteOutOfSpace)

private let transfers: [(Int, [KingfisherError])] = [
    (
        400,
        [
            transfer(.invalidRequest("x")), .requestError(reason: .emptyRequest),
            .requestError(reason: .invalidURL(request: URLRequest(url: url))),
        ]
    ),
    (404, [status(404), status(410)]),
    (413, [transfer(.bodyTooLarge(limit: 5))]),
    (499, [transfer(.cancelled), .requestError(reason: .asyncTaskContextCancelled)]),
    (500, [.imageSettingError(reason: .emptySource)]),
    (502, [301, 400, 401, 403, 429, 500, 503].map(status)),
    (
        502,
        [
            transfer(.resolve("e.com")), transfer(.connect("10.0.0.1")),
            transfer(.addressRefused("10.0.0.1")),
            transfer(.tls("x")), transfer(.untrustedCertificate(.selfSigned, "x")),
            transfer(.untrustedCertificate(.expired, "x")), transfer(.connectionLost("x")),
            transfer(.truncated("x")), transfer(.malformed("x")), transfer(.undecodable("x")),
            transfer(.tooManyRedirects(limit: 5)), transfer(.redirectRefused("x")), transfer(.io("x")),
        ]
    ),
    (503, [transfer(.throttled(retryAfter: 5)), transfer(.queueFull(waiting: 5))]),
    (
        504,
        [transfer(.timedOut(.connect)), transfer(.timedOut(.idle)), transfer(.timedOut(.total))]
    ),
]

private let limits: [(Int, [KingfisherError])] = [
    (
        404,
        [
            resource(.knownFailure(statusCode: 404, retryAfter: 1)),
            resource(.knownFailure(statusCode: 410, retryAfter: 1)),
        ]
    ),
    (413, [resource(.memoryBudgetExceeded(required: 2, budget: 1))]),
    (
        422,
        [
            resource(.knownFailure(statusCode: nil, retryAfter: 1)),
            cache(
                .cannotSerializeImage(image: nil, original: nil, serializer: DefaultCacheSerializer.default)),
            .processorError(
                reason: .processingFailed(processor: DefaultImageProcessor.default, item: .data(Data()))),
        ]
    ),
    (500, [cache(.cannotLoadDataFromDisk(url: url, error: failed))]),
    (502, [resource(.knownFailure(statusCode: 403, retryAfter: 1))]),
    (
        503,
        [
            resource(.overloaded(retryAfter: 2)), cache(.imageNotExisting(key: "k")),
            cache(.cannotCreateDirectory(path: "/private", error: failed)),
            cache(.cannotCreateCacheFile(fileURL: url, key: "k", data: Data(), error: failed)),
            cache(.cannotSetCacheFileAttribute(filePath: "/private", attributes: [:], error: failed)),
            cache(.diskStorageIsNotReady(cacheURL: url)),
        ]
    ),
    (504, [resource(.tooSlow(error: Unknown()))]),
]

private let nested: [(Int, [KingfisherError])] = [
    (
        404,
        [
            provided(CocoaError(.fileReadNoSuchFile)), provided(CocoaError(.fileReadNoPermission)),
            provided(status(404)), exhausted([status(404), status(500)]),
            exhausted([exhausted([status(410)])]),
        ]
    ),
    (410, [provided(ServiceError(410, "Gone."))]),
    (413, [provided(CocoaError(.fileReadTooLarge))]),
    (499, [provided(CancellationError())]),
    (500, [provided(Unknown()), provided(CocoaError(.fileReadUnknown)), exhausted([])]),
    (502, [exhausted([status(500), status(404)])]),
]

struct ServiceFailureTests {
    @Test(arguments: transfers)
    func `A failed transfer has the status of a gateway`(_ expected: Int, _ errors: [KingfisherError]) {
        for error in errors { #expect(ServiceFailure(error, at: .sample).error.status == expected) }
    }

    @Test(arguments: limits)
    func `A failure at a limit or in a cache has its status`(_ expected: Int, _ errors: [KingfisherError]) {
        for error in errors { #expect(ServiceFailure(error, at: .sample).error.status == expected) }
    }

    @Test(arguments: nested)
    func `The error of a provider or of the first source decides`(
        _ expected: Int, _ errors: [KingfisherError]
    ) {
        for error in errors { #expect(ServiceFailure(error, at: .sample).error.status == expected) }
    }

    @Test(
        arguments: [
            (ServiceSource.sample, "There is no such image at e.com."),
            (s3, "There is no such image at the bucket."),
            (local, "There is no such image at the folder."),
            (.upload, "There is no such image at the source."),
        ])
    func `A text names the host and nothing else`(_ source: ServiceSource, _ expected: String) {
        #expect(ServiceFailure(status(404), at: source).error.message == expected)
    }

    @Test func `A text begins with a capital letter, or with the host`() {
        #expect(
            ServiceFailure(status(500), at: .sample).error.message == "e.com refused the request or failed.")
        #expect(
            ServiceFailure(status(500), at: local).error.message
                == "The folder refused the request or failed.")
        #expect(ServiceFailure(.sourceTimeout).error.message == "The source is too slow.")
    }

    @Test func `No text has a path, a query, a user or an address`() {
        let errors = [
            status(500), transfer(.addressRefused("10.0.0.1")), transfer(.connect("10.0.0.1")),
            transfer(.redirectRefused("https://10.0.0.1/private")), provided(failed),
            cache(.cannotLoadDataFromDisk(url: url, error: failed)), exhausted([status(404)]),
        ]
        for error in errors {
            for source in [ServiceSource.sample, .http(url), s3, local, .upload] {
                let text = ServiceFailure(error, at: source).error.message
                for secret in ["private", "secret", "token", "photos", "10.0.0", "/", "user"] {
                    #expect(!text.contains(secret), "\(text)")
                }
            }
        }
    }

    @Test func `A refused address looks like a refused connection`() {
        let refused = ServiceFailure(transfer(.addressRefused("10.0.0.1")), at: .sample)
        #expect(refused == ServiceFailure(transfer(.connect("93.184.216.34:81")), at: .sample))
    }

    @Test func `The time to wait is kept`() {
        #expect(ServiceFailure(resource(.overloaded(retryAfter: 7))).retryAfter == 7)
    }

    @Test func `Other errors are 500, and failures stay as they are`() {
        #expect(ServiceFailure(Unknown() as any Error).error == ServiceError(500, "The request failed."))
        #expect(ServiceFailure(status(404) as any Error, at: .sample).error.status == 404)
        let failure = ServiceFailure(.clientRate, retryAfter: 3)
        #expect(ServiceFailure(failure as any Error) == failure)
    }
}
