/// A file name that is safe inside the cache folder: one component, not hidden, not longer than a name may
/// be.
///
/// Only `FileNaming` makes them, so no key can lead the engine out of its folder.
package struct EntryName: Hashable, Sendable {
    package let rawValue: String

    init(checked rawValue: String) {
        self.rawValue = rawValue
    }
}
