import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct ErrorTests {
    let box: Sandbox

    init() throws {
        box = try Sandbox()
    }

    private func failure(
        _ path: String, _ options: KingfisherOptionsInfo = []
    ) async throws -> KingfisherError {
        let error = await #expect(throws: KingfisherError.self) {
            try await box.manager.retrieveImage(with: box.url(path), options: options)
        }
        return try #require(error)
    }

    /// The message of an app for each error. All cases are named, so that a new case does not compile.
    private func advice(_ error: KingfisherError) -> String {
        switch error {
        case .requestError(let reason): request(reason)
        case .responseError(let reason): response(reason)
        case .cacheError(let reason): cache(reason)
        case .processorError(reason: .processingFailed(let processor, _)):
            "not an image (\(processor.identifier))"
        case .imageSettingError(let reason): setting(reason)
        // On Linux only, see docs/deviations.md.
        case .resourceError(let reason): resource(reason)
        }
    }

    private func resource(_ reason: KingfisherError.ResourceErrorReason) -> String {
        switch reason {
        case .overloaded(let retryAfter): "busy for \(retryAfter) s"
        case .memoryBudgetExceeded(let required, let budget): "\(required) bytes of \(budget)"
        case .tooSlow(let error): "too slow: \((error as NSError).domain)"
        case .knownFailure(let statusCode, let retryAfter): "status \(statusCode ?? 0) for \(retryAfter) s"
        }
    }

    private func request(_ reason: KingfisherError.RequestErrorReason) -> String {
        switch reason {
        case .emptyRequest: "nothing to ask for"
        case .invalidURL(let request): "bad address \(request.url?.absoluteString ?? "none")"
        case .taskCancelled(let task, let token): "cancelled \(task.originalURL?.path ?? "") \(token)"
        case .livePhotoTaskCancelled(let source): "cancelled \(source.resources.count)"
        case .asyncTaskContextCancelled: "cancelled"
        case .dataProviderCancelled(let provider): "cancelled \(provider.cacheKey)"
        }
    }

    private func response(_ reason: KingfisherError.ResponseErrorReason) -> String {
        switch reason {
        case .invalidURLResponse(let response): "odd answer \(response)"
        case .invalidHTTPStatusCode(let response): "server says \(response.statusCode)"
        case .URLSessionError(let error): "no connection: \((error as NSError).domain)"
        case .dataModifyingFailed(let task): "refused \(task.originalURL?.path ?? "")"
        case .noURLResponse(let task): "no answer \(task.originalURL?.path ?? "")"
        case .cancelledByDelegate(let response): "not wanted \(response.url?.path ?? "")"
        }
    }

    private func cache(_ reason: KingfisherError.CacheErrorReason) -> String {
        switch reason {
        case .fileEnumeratorCreationFailed(let url), .invalidFileEnumeratorContent(let url): "\(url)"
        case .invalidURLResource(let error, let key, let url): "\(error) \(key) \(url)"
        case .cannotLoadDataFromDisk(let url, let error): "\(url) \(error)"
        case .cannotCreateDirectory(let path, let error): "\(path) \(error)"
        case .imageNotExisting(let key): "not there: \(key)"
        case .cannotConvertToData(let object, let error): "\(object) \(error)"
        case .cannotSerializeImage(let image, let original, let serializer):
            "\(image?.size ?? .zero) \(original?.count ?? 0) \(serializer)"
        case .cannotCreateCacheFile(let url, let key, let data, let error): "\(url) \(key) \(data) \(error)"
        case .cannotSetCacheFileAttribute(let path, let attributes, let error):
            "\(path) \(attributes.count) \(error)"
        case .diskStorageIsNotReady(let url): "\(url)"
        case .missingLivePhotoResourceOnDisk(let resource): "\(resource.dataSource.cacheKey)"
        }
    }

    private func setting(_ reason: KingfisherError.ImageSettingErrorReason) -> String {
        switch reason {
        case .emptySource: "nothing to show"
        case .notCurrentSourceTask(let result, let error, let source):
            "late: \(source.cacheKey) \(result == nil) \(error == nil)"
        case .dataProviderError(let provider, let error): "\(provider.cacheKey) \(error)"
        case .alternativeSourcesExhausted(let errors): "\(errors.count) sources failed"
        default: "a live photo's"
        }
    }

    @Test("A message contains the status of the response")
    func status() async throws {
        let error = try await failure("missing.png")
        #expect(advice(error) == "server says 404" && error.errorCode == 2002)
        #expect(error.isInvalidResponseStatusCode && error.isInvalidResponseStatusCode(404))
        #expect(!error.isInvalidResponseStatusCode(500) && !error.isTaskCancelled)
        #expect(error.errorDescription?.isEmpty == false && !error.localizedDescription.isEmpty)
        #expect(KingfisherError.domain == "com.onevcat.Kingfisher.Error")
    }

    @Test("A message reports a failed connection")
    func connection() async throws {
        let url = box.url("PNG/rgb8.png")
        box.server.stop()
        let error = await #expect(throws: KingfisherError.self) {
            try await box.manager.retrieveImage(with: url)
        }
        #expect(advice(try #require(error)) == "no connection: \(NSURLErrorDomain)")
        #expect(error?.errorCode == 2003)
    }

    @Test("A message reports undecodable data")
    func garbage() async throws {
        let error = try await failure("garbage/hello")
        #expect(advice(error) == "not an image ()" && error.errorCode == 4001)
    }

    @Test("A message reports a missing cache entry")
    func notCached() async throws {
        let error = try await failure("PNG/rgb8.png", [.onlyFromCache])
        #expect(advice(error) == "not there: \(box.url("PNG/rgb8.png").cacheKey)" && error.errorCode == 3006)
    }

    @Test("A thrown error is caught by its case")
    func caught() async throws {
        do {
            _ = try await box.manager.retrieveImage(
                with: box.url("PNG/rgb8.png"), options: [.requestModifier(AnyModifier { _ in nil })])
            Issue.record("an image without a request")
        } catch KingfisherError.requestError(reason: .emptyRequest) {
            #expect(box.server.requestCount() == 0)
        }
    }
}
