import CGtk
public import Foundation
import Glibc
public import Kingfisher

/// Changes an image file of the user, as a viewer of photos does.
///
/// Works on other threads than the main thread. Edits of one file must not overlap: start the next one when
/// the last one has ended.
public struct ImageFileEditor: Sendable {
    /// The reason for a failure. The file is as it was.
    public enum Failure: Error, Hashable {
        /// No registered codec recognizes the file.
        case unknownFormat
        /// The format has no place for an orientation, or the file is malformed or too large.
        case refused(ImageCodecError)
        /// Another program has changed the file in the meantime.
        case hasChanged
        /// The message of the system, in the user's language.
        case system(String)
    }

    /// The file.
    public let fileURL: URL

    /// Creates an editor. A symbolic link stays, and its target is rotated; the trash gets the link.
    public init(_ fileURL: URL) {
        self.fileURL = fileURL
    }

    /// Turns the image clockwise by a multiple of 90 degrees, by its orientation in EXIF and XMP; its pixels
    /// are not encoded again.
    ///
    /// JPEG, PNG and WebP files can be turned. The file is replaced once the new one is complete and on the
    /// disk, with its mode and its extended attributes, and its owner if this user may set it. Other names
    /// (hard links) keep the old file. Fails for a file that this user may not write.
    @concurrent public func rotate(byQuarterTurns quarterTurns: Int) async throws(Failure) {
        guard let path = realpath(fileURL.path, nil) else { throw .ofSystem }
        defer { free(path) }
        let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw .ofSystem }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let version = try Version(descriptor)
        guard let file = try? handle.readToEnd() ?? Data() else { throw .system(strerror(EIO).text) }
        let rotated = try Self.rotated(file, quarterTurns)
        guard rotated != file else { return }
        try Self.replace(path.text, with: rotated, version)
    }

    /// Moves the file to the trash of the desktop, from which the user can restore it.
    @concurrent public func moveToTrash() async throws(Failure) {
        let file = g_file_new_for_uri(fileURL.absoluteString)
        defer { g_object_unref(UnsafeMutableRawPointer(file)) }
        var error: UnsafeMutablePointer<GError>?
        guard g_file_trash(file, nil, &error) == 0 else { return }
        defer { g_clear_error(&error) }
        throw .system(error?.pointee.message.text ?? "")
    }

    private static func rotated(_ file: Data, _ quarterTurns: Int) throws(Failure) -> Data {
        guard let codec = ImageCodecs.codec(for: file) else { throw .unknownFormat }
        do throws(ImageCodecError) {
            let present = try ImageMetadata(of: file, using: codec).orientation
            let new = present.rotated(byQuarterTurns: quarterTurns)
            return new == present ? file : try codec.settingOrientation(new, of: file)
        } catch {
            throw .refused(error)
        }
    }

    private static func replace(_ path: String, with data: Data, _ version: Version) throws(Failure) {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        let temporary = "\(folder)/.kingfisher-\(UUID().uuidString)"
        // Only its owner may read the new file before it has its mode.
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .ofSystem }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do throws(Failure) {
            // Before the bytes, which set the new date.
            copyAttributes(of: path, to: temporary)
            guard (try? handle.write(contentsOf: data)) != nil, fsync(descriptor) == 0 else {
                throw .ofSystem
            }
            guard try Version(path) == version else { throw .hasChanged }
            guard rename(temporary, path) == 0 else { throw .ofSystem }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Mode, owner and extended attributes, as far as the file system and the user's rights allow.
    private static func copyAttributes(of path: String, to copy: String) {
        let (source, target) = (g_file_new_for_path(path), g_file_new_for_path(copy))
        // G_FILE_COPY_ALL_METADATA, which has another name since GLib 2.90.
        g_file_copy_attributes(source, target, GFileCopyFlags(rawValue: 1 << 3), nil, nil)
        g_object_unref(UnsafeMutableRawPointer(source))
        g_object_unref(UnsafeMutableRawPointer(target))
    }
}

/// Differs after each change of a file.
private struct Version: Equatable {
    private let numbers: [Int]

    init(_ descriptor: CInt) throws(ImageFileEditor.Failure) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .ofSystem }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .unknownFormat }
        self.init(status)
    }

    init(_ path: String) throws(ImageFileEditor.Failure) {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw .ofSystem }
        self.init(status)
    }

    private init(_ status: stat) {
        // The change time also changes with the mode.
        numbers = [
            Int(bitPattern: UInt(status.st_dev)), Int(bitPattern: UInt(status.st_ino)),
            status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
        ]
    }
}

extension ImageFileEditor.Failure: LocalizedError {
    /// The error of the last system call.
    fileprivate static var ofSystem: Self { .system(strerror(errno).text) }

    public var errorDescription: String? {
        switch self {
        case .unknownFormat: "The format of the file is not known."
        case .refused(let error): error.localizedDescription
        case .hasChanged: "Another program has changed the file."
        case .system(let message): message
        }
    }
}

extension UnsafeMutablePointer<CChar> {
    fileprivate var text: String { String(cString: self) }
}
