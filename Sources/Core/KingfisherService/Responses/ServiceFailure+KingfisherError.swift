import Foundation
import FoundationNetworking
public import Kingfisher

extension ServiceFailure {
    /// The failure of a load of `source`.
    ///
    /// The text of the library's error is not used, because it contains URLs and paths of files.
    public init(_ error: any Error, at source: ServiceSource? = nil) {
        switch error {
        case let error as ServiceFailure: self = error
        case let error as ServiceError: self.init(error)
        case let error as KingfisherError: self.init(error, at: source)
        case let error as URLError: self.init(Self.kind(of: error.code), at: source)
        case is CancellationError: self.init(.clientLeft)
        case let error as FolderImageDataProvider.FolderError: self.init(Self.kind(of: error), at: source)
        case let error as CocoaError: self.init(Self.kind(of: error.code), at: source)
        default: self.init(.unexpected)
        }
    }

    /// The failure of a load of `source`; a known failure has the status of the first one.
    public init(_ error: KingfisherError, at source: ServiceSource? = nil) {
        switch error {
        case .imageSettingError(.alternativeSourcesExhausted(let failures)):
            // The requested source is the first one.
            if let first = failures.first {
                self.init(first.error, at: source)
            } else {
                self.init(.unexpected)
            }
        case .imageSettingError(.dataProviderError(_, let cause)): self.init(cause, at: source)
        case .responseError(.URLSessionError(let cause)): self.init(cause, at: source)
        default: self.init(Self.kind(of: error), at: source, retryAfter: error.retryAfter)
        }
    }

    private static func kind(of error: KingfisherError) -> ServiceFailureKind {
        switch error {
        case .requestError(let reason): kind(of: reason)
        case .responseError(.invalidHTTPStatusCode(let response)): kind(ofStatus: response.statusCode)
        case .responseError: .sourceResponse
        case .cacheError(let reason): kind(of: reason)
        case .processorError: .notAnImage
        case .imageSettingError: .unexpected
        case .resourceError(.overloaded): .overloaded
        case .resourceError(.memoryBudgetExceeded): .sourceTooLarge
        case .resourceError(.tooSlow): .sourceTimeout
        case .resourceError(.knownFailure(nil, _)): .notAnImage
        case .resourceError(.knownFailure(let status?, _)): kind(ofStatus: status)
        }
    }

    private static func kind(of reason: KingfisherError.RequestErrorReason) -> ServiceFailureKind {
        switch reason {
        case .emptyRequest, .invalidURL: .invalidSource
        case .taskCancelled, .livePhotoTaskCancelled, .asyncTaskContextCancelled, .dataProviderCancelled:
            .clientLeft
        }
    }

    private static func kind(of reason: KingfisherError.CacheErrorReason) -> ServiceFailureKind {
        switch reason {
        case .cannotSerializeImage, .cannotConvertToData: .cannotWrite
        case .cannotCreateDirectory, .cannotCreateCacheFile, .cannotSetCacheFileAttribute,
            .diskStorageIsNotReady:
            .cacheFull
        // The request was superseded before it reached its source.
        case .imageNotExisting: .overloaded
        default: .unexpected
        }
    }

    private static func kind(ofStatus status: Int) -> ServiceFailureKind {
        switch status {
        case 404, 410: .sourceMissing
        default: .sourceStatus
        }
    }

    /// A refused address and a refused connection have one text, so that it cannot be used to scan a network.
    private static func kind(of code: URLError.Code) -> ServiceFailureKind {
        switch code {
        case .badURL, .unsupportedURL: .invalidSource
        case .cancelled: .clientLeft
        case .timedOut: .sourceTimeout
        case .dataLengthExceedsMaximum: .sourceTooLarge
        case .resourceUnavailable: .overloaded
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateNotYetValid,
            .serverCertificateHasUnknownRoot, .serverCertificateUntrusted, .clientCertificateRequired,
            .clientCertificateRejected:
            .sourceTLS
        case .badServerResponse, .cannotDecodeContentData, .cannotDecodeRawData, .cannotParseResponse,
            .httpTooManyRedirects, .redirectToNonExistentLocation, .networkConnectionLost:
            .sourceResponse
        default: .sourceUnreachable
        }
    }

    private static func kind(of error: FolderImageDataProvider.FolderError) -> ServiceFailureKind {
        switch error {
        case .notFound, .notPermitted: .sourceMissing
        case .tooLarge: .sourceTooLarge
        case .unreadable: .unexpected
        }
    }

    /// A file that exists and must not be read looks like one that does not exist.
    private static func kind(of code: CocoaError.Code) -> ServiceFailureKind {
        switch code {
        case .fileNoSuchFile, .fileReadNoSuchFile, .fileReadNoPermission, .fileReadInvalidFileName:
            .sourceMissing
        case .fileReadTooLarge: .sourceTooLarge
        default: .unexpected
        }
    }
}
