import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@Suite struct ErrorCodeTests {
    private struct Cause: Error {}

    private let url = URL(filePath: "/tmp/x")
    /// The lines of the documented error table.
    private let page: [Substring]

    init() throws {
        let text = try RepositoryPage.text("Sources/Core/Kingfisher/Kingfisher.docc/Troubleshooting.md")
        page = text.split(separator: "\n")
    }

    private func task() throws -> SessionDataTask {
        let bench = try Bench()
        bench.stub.hold()
        let task = bench.downloader.downloadImage(with: bench.url)
        bench.stub.release()
        return try #require(task.sessionTask)
    }

    @Test("Request errors have the codes 1001 to 1006")
    func requests() throws {
        let task = try task()
        let provider = RawImageDataProvider(data: Data(), cacheKey: "key")
        let table: [(KingfisherError.RequestErrorReason, Int, String)] = [
            (.emptyRequest, 1001, "emptyRequest"),
            (.invalidURL(request: URLRequest(url: url)), 1002, "invalidURL"),
            (.taskCancelled(task: task, token: 1), 1003, "taskCancelled"),
            (.livePhotoTaskCancelled(source: LivePhotoSource(urls: [url])), 1004, "livePhotoTaskCancelled"),
            (.asyncTaskContextCancelled, 1005, "asyncTaskContextCancelled"),
            (.dataProviderCancelled(provider: provider), 1006, "dataProviderCancelled"),
        ]
        for (reason, code, name) in table { check(.requestError(reason: reason), code, name) }
    }

    @Test("Response errors have the codes 2001 to 2006")
    func responses() throws {
        let task = try task()
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 404, httpVersion: nil, headerFields: nil))
        let table: [(KingfisherError.ResponseErrorReason, Int, String)] = [
            (.invalidURLResponse(response: response), 2001, "invalidURLResponse"),
            (.invalidHTTPStatusCode(response: response), 2002, "invalidHTTPStatusCode"),
            (.URLSessionError(error: Cause()), 2003, "URLSessionError"),
            (.dataModifyingFailed(task: task), 2004, "dataModifyingFailed"),
            (.noURLResponse(task: task), 2005, "noURLResponse"),
            (.cancelledByDelegate(response: response), 2006, "cancelledByDelegate"),
        ]
        for (reason, code, name) in table { check(.responseError(reason: reason), code, name) }
    }

    @Test("Cache errors have the codes 3001 to 3012")
    func cache() throws {
        let error = Cause()
        let serializer = DefaultCacheSerializer.default
        let table: [(KingfisherError.CacheErrorReason, Int, String)] = [
            (.fileEnumeratorCreationFailed(url: url), 3001, "fileEnumeratorCreationFailed"),
            (.invalidFileEnumeratorContent(url: url), 3002, "invalidFileEnumeratorContent"),
            (.invalidURLResource(error: error, key: "k", url: url), 3003, "invalidURLResource"),
            (.cannotLoadDataFromDisk(url: url, error: error), 3004, "cannotLoadDataFromDisk"),
            (.cannotCreateDirectory(path: "/x", error: error), 3005, "cannotCreateDirectory"),
            (.imageNotExisting(key: "k"), 3006, "imageNotExisting"),
            (.cannotConvertToData(object: 1, error: error), 3007, "cannotConvertToData"),
            (
                .cannotSerializeImage(image: nil, original: nil, serializer: serializer), 3008,
                "cannotSerializeImage"
            ),
            (
                .cannotCreateCacheFile(fileURL: url, key: "k", data: Data(), error: error), 3009,
                "cannotCreateCacheFile"
            ),
            (
                .cannotSetCacheFileAttribute(filePath: "/x", attributes: [:], error: error), 3010,
                "cannotSetCacheFileAttribute"
            ),
            (.diskStorageIsNotReady(cacheURL: url), 3011, "diskStorageIsNotReady"),
            (
                .missingLivePhotoResourceOnDisk(LivePhotoResource(downloadURL: url)), 3012,
                "missingLivePhotoResourceOnDisk"
            ),
        ]
        for (reason, code, name) in table { check(.cacheError(reason: reason), code, name) }
    }

    @Test("Processor errors have the code 4001, view errors 5001 to 5006")
    func processorsAndViews() throws {
        let provider = RawImageDataProvider(data: Data(), cacheKey: "key")
        let livePhoto = LivePhotoSource(urls: [url])
        check(
            .processorError(
                reason: .processingFailed(processor: DefaultImageProcessor.default, item: .data(Data()))),
            4001, "processingFailed")
        let table: [(KingfisherError.ImageSettingErrorReason, Int, String)] = [
            (.emptySource, 5001, "emptySource"),
            (
                .notCurrentSourceTask(result: nil, error: nil, source: .provider(provider)), 5002,
                "notCurrentSourceTask"
            ),
            (.dataProviderError(provider: provider, error: Cause()), 5003, "dataProviderError"),
            (.alternativeSourcesExhausted([]), 5004, "alternativeSourcesExhausted"),
            (
                .notCurrentLivePhotoSourceTask(result: nil, error: nil, source: livePhoto), 5005,
                "notCurrentLivePhotoSourceTask"
            ),
            (
                .livePhotoResultError(result: nil, error: Cause(), source: livePhoto), 5006,
                "livePhotoResultError"
            ),
        ]
        for (reason, code, name) in table { check(.imageSettingError(reason: reason), code, name) }
    }

    @Test("Resource errors have the codes 9001 to 9003")
    func resources() throws {
        let table: [(KingfisherError.ResourceErrorReason, Int, String)] = [
            (.overloaded(retryAfter: 2), 9001, "overloaded"),
            (.memoryBudgetExceeded(required: 2, budget: 1), 9002, "memoryBudgetExceeded"),
            (.tooSlow(error: Cause()), 9003, "tooSlow"),
        ]
        for (reason, code, name) in table { check(.resourceError(reason: reason), code, name) }
        #expect(KingfisherError.resourceError(reason: .overloaded(retryAfter: 2)).retryAfter == 2)
        #expect(KingfisherError.requestError(reason: .emptyRequest).retryAfter == nil)
    }

    @Test("The domain and the predicates of errors match their reasons")
    func domainAndPredicates() throws {
        #expect(KingfisherError.domain == "com.onevcat.Kingfisher.Error")
        let cancelled = KingfisherError.requestError(reason: .taskCancelled(task: try task(), token: 1))
        #expect(cancelled.isTaskCancelled)
        #expect(!KingfisherError.requestError(reason: .emptyRequest).isTaskCancelled)
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 404, httpVersion: nil, headerFields: nil))
        let status = KingfisherError.responseError(reason: .invalidHTTPStatusCode(response: response))
        #expect(status.isInvalidResponseStatusCode)
        #expect(status.isInvalidResponseStatusCode(404))
        #expect(!status.isInvalidResponseStatusCode(403))
        #expect(!cancelled.isInvalidResponseStatusCode)
        let stale = KingfisherError.imageSettingError(
            reason: .notCurrentSourceTask(result: nil, error: nil, source: .network(url)))
        #expect(stale.isNotCurrentTask)
        #expect(!cancelled.isNotCurrentTask)
    }

    private func check(_ error: KingfisherError, _ code: Int, _ name: String) {
        #expect(error.errorCode == code)
        #expect((error as NSError).code == code)
        #expect(error.reasonName == name)
        #expect(error.errorDescription?.isEmpty == false)
        #expect((error as any Error).localizedDescription == error.errorDescription)
        // The documentation lists the code and the name in one row.
        #expect(page.contains { $0.hasPrefix("| ") && $0.contains("\(code)") && $0.contains("`\(name)`") })
    }
}
