import Foundation

/// Why the gallery could not do what it is for; ends the program.
struct Failure: LocalizedError {
    let errorDescription: String?

    init(_ description: String) {
        errorDescription = description
    }
}
