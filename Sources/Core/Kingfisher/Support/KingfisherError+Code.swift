public import Foundation

extension KingfisherError: CustomNSError {
    /// The error domain of `KingfisherError` as an `NSError`.
    public static let domain = "com.onevcat.Kingfisher.Error"

    /// A number for each reason: 1000s request, 2000s response, 3000s cache, 4000s processor, 5000s view,
    /// 9000s resources.
    public var errorCode: Int { details.code }

    /// `errorDescription`, under `NSLocalizedDescriptionKey`. Costs as much as `errorDescription`.
    public var errorUserInfo: [String: Any] {
        // Foundation on Linux reads the description of a CustomNSError only from here.
        errorDescription.map { [NSLocalizedDescriptionKey: $0] } ?? [:]
    }
}

extension KingfisherError: LocalizedError {
    /// One English sentence that says what failed, with the key, URL or status concerned.
    ///
    /// URLs are redacted for logs: they have no credentials, query and fragment. For bytes that are not an
    /// image, the cause is determined here, on the caller's thread, by reading the header and decoding at
    /// most once, within `ImageLimits`. `errorCode` and `reasonName` cost nothing.
    public var errorDescription: String? { details.text }

    /// The name of the reason's enumeration case, for logs and for programs.
    public var reasonName: String { details.name }
}

private struct ReasonDescription {
    let code: Int
    let name: String
    private let makeText: () -> String

    init(_ code: Int, _ name: String, _ text: @autoclosure @escaping () -> String) {
        self.code = code
        self.name = name
        makeText = text
    }

    init(
        _ code: Int, _ name: String, _ subject: @autoclosure @escaping () -> String, cannotBe done: String,
        _ error: any Error
    ) {
        self.init(code, name, "\(subject()) cannot be \(done): \(error.localizedDescription)")
    }

    /// Computed, because it may decode an image.
    var text: String { makeText() }
}

extension KingfisherError {
    fileprivate var details: ReasonDescription {
        switch self {
        case .requestError(let reason): reason.details
        case .responseError(let reason): reason.details
        case .cacheError(let reason): reason.details
        case .processorError(let reason): reason.details
        case .imageSettingError(let reason): reason.details
        case .resourceError(let reason): reason.details
        }
    }
}

extension KingfisherError.RequestErrorReason {
    fileprivate var details: ReasonDescription {
        switch self {
        case .emptyRequest:
            ReasonDescription(1001, "emptyRequest", "The request modifier returned no request.")
        case .invalidURL(let request):
            ReasonDescription(1002, "invalidURL", "The request has no usable URL: \(request.url.logName).")
        case .taskCancelled(let task, let token):
            ReasonDescription(
                1003, "taskCancelled",
                "The download was cancelled (\(task.originalURL.logName), token \(token))."
            )
        case .livePhotoTaskCancelled(let source):
            ReasonDescription(
                1004, "livePhotoTaskCancelled", "The load of the live photo \(source.summary) was cancelled.")
        case .asyncTaskContextCancelled:
            ReasonDescription(1005, "asyncTaskContextCancelled", "The surrounding task was cancelled.")
        case .dataProviderCancelled(let provider):
            ReasonDescription(
                1006, "dataProviderCancelled",
                "The load from the provider of \(provider.logName) was cancelled.")
        }
    }
}

extension KingfisherError.ResponseErrorReason {
    fileprivate var details: ReasonDescription {
        switch self {
        case .invalidURLResponse(let response):
            ReasonDescription(
                2001, "invalidURLResponse", "The response is not HTTP (\(response.url.logName)).")
        case .invalidHTTPStatusCode(let response):
            ReasonDescription(
                2002, "invalidHTTPStatusCode",
                "The server answered with status \(response.statusCode)"
                    + " (\(response.url.logName)).")
        case .URLSessionError(let error):
            ReasonDescription(2003, "URLSessionError", "The transfer failed: \(error.transferMessage)")
        case .dataModifyingFailed(let task):
            ReasonDescription(
                2004, "dataModifyingFailed",
                "The delegate returned no data for \(task.originalURL.logName).")
        case .noURLResponse(let task):
            ReasonDescription(
                2005, "noURLResponse",
                "No response came from \(task.originalURL.logName).")
        case .cancelledByDelegate(let response):
            ReasonDescription(
                2006, "cancelledByDelegate",
                "The delegate refused the response of \(response.url.logName).")
        }
    }
}

extension KingfisherError.CacheErrorReason {
    fileprivate var details: ReasonDescription {
        switch self {
        case .fileEnumeratorCreationFailed(let url):
            ReasonDescription(
                3001, "fileEnumeratorCreationFailed", "The folder \(url.path) cannot be listed.")
        case .invalidFileEnumeratorContent(let url):
            ReasonDescription(
                3002, "invalidFileEnumeratorContent", "The folder \(url.path) cannot be listed completely.")
        case .invalidURLResource(let error, let key, let url):
            ReasonDescription(
                3003, "invalidURLResource", "The metadata of \(url.path) (key \"\(key)\")", cannotBe: "read",
                error)
        case .cannotLoadDataFromDisk(let url, let error):
            ReasonDescription(3004, "cannotLoadDataFromDisk", url.path, cannotBe: "read", error)
        case .cannotCreateDirectory(let path, let error):
            ReasonDescription(3005, "cannotCreateDirectory", "The folder \(path)", cannotBe: "created", error)
        case .imageNotExisting(let key):
            ReasonDescription(3006, "imageNotExisting", "Nothing is cached under the key \"\(key)\".")
        case .cannotConvertToData(let object, let error):
            ReasonDescription(
                3007, "cannotConvertToData", "A \(type(of: object))", cannotBe: "turned into data", error)
        case .cannotSerializeImage(_, _, let serializer):
            ReasonDescription(
                3008, "cannotSerializeImage", "\(type(of: serializer)) returned no data for the image.")
        case .cannotCreateCacheFile(let fileURL, let key, let data, let error):
            ReasonDescription(
                3009, "cannotCreateCacheFile",
                "\(data.count) bytes for the key \"\(key)\"", cannotBe: "written to \(fileURL.path)", error)
        case .cannotSetCacheFileAttribute(let filePath, _, let error):
            ReasonDescription(
                3010, "cannotSetCacheFileAttribute", "The attributes of \(filePath)", cannotBe: "set", error)
        case .diskStorageIsNotReady(let cacheURL):
            ReasonDescription(
                3011, "diskStorageIsNotReady", "The disk cache at \(cacheURL.path) is not usable.")
        case .missingLivePhotoResourceOnDisk(let resource):
            ReasonDescription(
                3012, "missingLivePhotoResourceOnDisk",
                "The live photo's file \(resource.dataSource.logName) is not on disk.")
        }
    }
}

extension KingfisherError.ProcessorErrorReason {
    fileprivate var details: ReasonDescription {
        switch self {
        case .processingFailed(let processor, let item):
            ReasonDescription(
                4001, "processingFailed",
                "\(type(of: processor)) returned no image for \(item.summary).")
        }
    }
}

extension KingfisherError.ImageSettingErrorReason {
    fileprivate var details: ReasonDescription {
        switch self {
        case .emptySource:
            ReasonDescription(5001, "emptySource", "There is no source to load.")
        case .notCurrentSourceTask(_, _, let source):
            ReasonDescription(
                5002, "notCurrentSourceTask",
                "A newer request of the view superseded the load of \(source.logName).")
        case .dataProviderError(let provider, let error):
            ReasonDescription(
                5003, "dataProviderError",
                provider is LocalFileImageDataProvider
                    ? "\(provider.logName) cannot be read: \(error.systemMessage)"
                    : "The provider of \(provider.logName) failed: \(error.systemMessage)")
        case .alternativeSourcesExhausted(let failures):
            ReasonDescription(
                5004, "alternativeSourcesExhausted",
                "All \(failures.count) sources failed. "
                    + failures.map { "\($0.source.logName): \($0.error.errorDescription ?? "")" }
                    .joined(separator: " "))
        case .notCurrentLivePhotoSourceTask(_, _, let source):
            ReasonDescription(
                5005, "notCurrentLivePhotoSourceTask",
                "A newer request of the view superseded the load of the live photo \(source.summary).")
        case .livePhotoResultError(_, let error, let source):
            ReasonDescription(
                5006, "livePhotoResultError",
                "No live photo could be made of \(source.summary)"
                    + (error.map { ": \($0.localizedDescription)" } ?? "."))
        }
    }
}

extension KingfisherError.ResourceErrorReason {
    fileprivate var details: ReasonDescription {
        switch self {
        case .overloaded(let retryAfter):
            ReasonDescription(
                9001, "overloaded",
                "Too many loads wait for memory or for a connection, or the server refuses requests; try again"
                    + " in \(Int(retryAfter.rounded(.up))) s (KingfisherManager.memoryBudget, "
                    + "maximumQueueLength; ImageDownloader.requestRate).")
        case .memoryBudgetExceeded(let required, let budget):
            ReasonDescription(
                9002, "memoryBudgetExceeded",
                "The image takes \(required) bytes, more than the \(budget) of KingfisherManager.memoryBudget."
            )
        case .tooSlow(let error):
            ReasonDescription(9003, "tooSlow", "The transfer was too slow: \(error.transferMessage)")
        case .knownFailure(let statusCode, let retryAfter):
            ReasonDescription(
                9004, "knownFailure",
                "The source is known to have no image: "
                    + (statusCode.map { "its server answered \($0)" } ?? "its response was not an image")
                    + ". Try again in \(Int(retryAfter.rounded(.up))) s.")
        }
    }
}

extension LivePhotoSource {
    fileprivate var summary: String {
        resources.map(\.dataSource.logName).joined(separator: ", ")
    }
}

extension ImageProcessItem {
    fileprivate var summary: String {
        switch self {
        case .image(let image): image.description
        case .data(let data):
            "\(data.count) bytes"
                + (ImageCodecs.fault(in: data).map { ": \($0)" }
                    ?? " (\(data.kf.imageFormat)), which can be decoded")
        }
    }
}
